import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms have no exit tests.

  /// Checks that the process has stopped with a message that begins with `message` and contains `remedy`, after a place
  /// in `file` if there is one.
  func expect(
    _ result: ExitTest.Result?, says message: String, and remedy: String? = nil, naming file: String? = nil
  ) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("Fatal error: \(message)"), "\(output)")
    if let remedy { #expect(output.contains(remedy), "\(output)") }
    if let file {
      let place = output.components(separatedBy: ": Fatal error: \(message)")[0].split(separator: ":")
      #expect(place.dropLast().last?.hasSuffix(file) == true && Int(place.last ?? "") != nil, "\(output)")
    }
  }

  /// Ends this process if it takes too long, whatever its threads are doing.
  ///
  /// Before the watchdog of the other tests: Swift Testing waits for the process on the threads of async code, for which
  /// they wait.
  func endInTime() { alarm(120) }

#endif
