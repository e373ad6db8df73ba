import Foundation
import Testing

/// A program on a terminal of its own: keys in, screen out.
final class PseudoTerminal {
  private let process = Process()
  private let master: Int32
  private let slave: Int32
  private var output = ""
  let settingsBefore: termios

  init(
    _ name: String, _ arguments: [String] = [], environment: [String: String] = ["TERM": "xterm-256color"],
    rows: Int = 30, columns: Int = 100
  ) throws {
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    try #require(openpty(&ends.master, &ends.slave, nil, nil, nil) == 0)
    (master, slave) = ends
    settingsBefore = Self.settings(of: slave)
    let program: URL = try #require(Program.url(of: name), "\(name) is not built")
    process.executableURL = program
    process.arguments = arguments
    let own = ProcessInfo.processInfo.environment.filter { !["TERM", "COLORTERM", "NO_COLOR"].contains($0.key) }
    process.environment = own.merging(environment) { $1 }
    let end = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
    (process.standardInput, process.standardOutput, process.standardError) = (end, end, end)
    setSize(rows: rows, columns: columns)
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    close(slave)
    close(master)
  }

  // MARK: In

  func press(_ keys: String) { _ = keys.withCString { write(master, $0, strlen($0)) } }

  func resize(rows: Int, columns: Int) {
    setSize(rows: rows, columns: columns)
    signal(SIGWINCH)  // the system sends it to the terminal's foreground only
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  private func setSize(rows: Int, columns: Int) {
    var size = winsize()
    (size.ws_row, size.ws_col) = (UInt16(rows), UInt16(columns))
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  // MARK: Out

  /// All that was printed.
  var printed: String { output }

  /// What the last picture that was shown completely says, without colours.
  var screen: [String] {
    let frames = output.components(separatedBy: "\u{1B}[H").dropFirst()
    guard let frame = frames.last(where: { $0.contains("\u{1B}[J") }) else { return [] }
    let text = frame.components(separatedBy: "\u{1B}[J")[0]
    return text.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "").components(separatedBy: "\r\n")
  }

  var settings: termios { Self.settings(of: slave) }

  private static func settings(of descriptor: Int32) -> termios {
    var settings = termios()
    tcgetattr(descriptor, &settings)
    return settings
  }

  /// Reads what comes until the condition holds; the watchdog ends the test process if it never does.
  func wait(_ what: String, until condition: () -> Bool) {
    let start = DispatchTime.now()
    while !condition() {
      if DispatchTime.now() > start + watchdog {
        fatalError("watchdog: \(what) did not come. Screen:\n\(screen.joined(separator: "\n"))")
      }
      readSome()
    }
  }

  func wait(for text: String) { wait("'\(text)'") { screen.contains { $0.contains(text) } } }

  /// Waits for the end of the program.
  ///
  /// - Returns: its status, negative if it was ended by a signal.
  func waitForEnd() -> Int32 {
    wait("the end") { !process.isRunning }
    readSome()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  private func readSome() {
    var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, 10) > 0 else { return }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(master, &bytes, bytes.count)
    if count > 0 { output += String(decoding: bytes.prefix(count), as: UTF8.self) }
  }
}
