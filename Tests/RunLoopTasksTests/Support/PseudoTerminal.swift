import Foundation
import Testing

#if os(macOS) || os(Linux)  // elsewhere there are no processes to start

  /// A program on a terminal of its own: keys in, screen out.
  final class PseudoTerminal {
    private let process = Process()
    private var master: Int32
    private let slave: Int32
    private var output: [UInt8] = []
    let settingsBefore: termios

    init(
      _ name: String, _ arguments: [String] = [], environment: [String: String] = ["TERM": "xterm-256color"],
      rows: Int = 30, columns: Int = 100, hasKeys: Bool = true
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
      process.standardInput = hasKeys ? end : FileHandle.nullDevice
      (process.standardOutput, process.standardError) = (end, end)
      setSize(rows: rows, columns: columns)
      try process.run()
    }

    deinit {
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      close(slave)
      if master >= 0 { close(master) }
    }

    // MARK: In

    func press(_ keys: String) { _ = keys.withCString { write(master, $0, strlen($0)) } }

    /// Closes the window.
    func hangUp() {
      close(master)
      master = -1  // which `poll` passes over
    }

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
    var printed: String { String(decoding: output, as: UTF8.self) }

    /// What the last picture that was shown completely says, without colours.
    var screen: [String] {
      picture.isEmpty ? [] : picture.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "").components(separatedBy: "\r\n")
    }

    /// The last picture that was shown completely, with its colours; empty before there is one.
    var picture: String {
      let (begin, end) = (Array("\u{1B}[H".utf8), Array("\u{1B}[J".utf8))
      guard let last = output.lastRange(of: end), let first = output[..<last.lowerBound].lastRange(of: begin) else {
        return ""
      }
      return String(decoding: output[first.upperBound..<last.lowerBound], as: UTF8.self)
    }

    /// How many bytes of keys the program has not read.
    var unreadKeys: Int {
      var count: Int32 = 0
      _ = ioctl(slave, bytesToRead, &count)
      return Int(count)
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
        // As much as there is, so that pictures which are out of date by now are not looked at.
        for _ in 1...100 where !readSome() { break }
      }
    }

    func wait(for text: String) { wait("'\(text)'") { screen.contains { $0.contains(text) } } }

    /// Waits for the end of the program, and reads the rest of what it has printed.
    ///
    /// - Returns: its status, negative if it was ended by a signal.
    func waitForEnd() -> Int32 {
      wait("the end") { !process.isRunning }
      while readSome() {}
      return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Reads what has come, or waits a little for it.
    ///
    /// - Returns: whether there was something.
    private func readSome() -> Bool {
      var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, 10) > 0 else { return false }
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = read(master, &bytes, bytes.count)
      if count > 0 { output += bytes.prefix(count) }
      return count > 0
    }
  }

  /// `FIONREAD`; Darwin's is a macro that Swift does not see.
  #if canImport(Darwin)
    private let bytesToRead: UInt = 0x4004_667F
  #else
    private let bytesToRead = UInt(FIONREAD)
  #endif

  extension RandomAccessCollection<UInt8> where Index == Int {
    /// Where the bytes occur last.
    fileprivate func lastRange(of bytes: [UInt8]) -> Range<Int>? {
      let start = (startIndex..<endIndex).last { self[$0] == bytes[0] && self[$0...].starts(with: bytes) }
      return start.map { $0..<$0 + bytes.count }
    }
  }

#endif
