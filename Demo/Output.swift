import Arguments
import Foundation

/// Writes text to the standard output. If that fails, says so and ends the program.
///
/// `print` does not tell a failure.
func output(_ text: String) {
  var rest = ArraySlice(text.utf8)
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count >= 0 {
      rest = rest.dropFirst(count)
    } else if errno != EINTR, errno != EAGAIN {
      let reason = String(cString: strerror(errno))
      printError("cannot write the output: \(reason)")
      exit(74)  // EX_IOERR
    }
  }
}
