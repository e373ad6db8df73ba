import Foundation

/// A line on the standard error that says what is being done, if that is a terminal.
struct Progress {
  private let isShown = isatty(STDERR_FILENO) == 1

  func show(_ text: String) { if isShown { write("\r\u{1B}[K\(text)") } }

  func clear() { if isShown { write("\r\u{1B}[K") } }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
