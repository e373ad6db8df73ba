import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// A program on a terminal of its own: keys in, screen out.
  final class PseudoTerminal {
    private let process = Process()
    private var master: Int32
    private let slave: Int32
    private var output: [UInt8] = []
    private var endOfFrames = 0
    let settingsBefore: termios

    init(
      _ name: String, arguments: [String] = [], environment: [String: String] = ["TERM": "xterm-256color"],
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

    // MARK: input

    func press(_ keys: String) { _ = keys.withCString { write(master, $0, strlen($0)) } }

    /// Closes the window.
    func hangUp() {
      close(master)
      master = -1  // `poll` ignores a negative descriptor.
    }

    func resize(rows: Int, columns: Int) {
      setSize(rows: rows, columns: columns)
      signal(SIGWINCH)  // The system sends it only to the terminal's foreground process.
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    private func setSize(rows: Int, columns: Int) {
      var size = winsize()
      (size.ws_row, size.ws_col) = (UInt16(rows), UInt16(columns))
      _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    // MARK: output

    /// All output so far.
    var printed: String { String(decoding: output, as: UTF8.self) }

    /// All complete frames so far, with their colors.
    private(set) var frames: [String] = []

    /// Their lines, without colors.
    private(set) var screens: [[String]] = []

    /// The last complete frame, with its colors; empty before the first.
    var frame: String { frames.last ?? "" }

    /// The lines of the last complete frame, without colors.
    var screen: [String] { screens.last ?? [] }

    /// Adds the frames that are complete by now. Looks at each only once, because waits look at all of them again and
    /// again.
    private func addFrames() {
      let parts = String(decoding: output[endOfFrames...], as: UTF8.self).components(separatedBy: "\u{1B}[J")
      endOfFrames += parts.dropLast().reduce(0) { $0 + $1.utf8.count + 3 }
      for part in parts.dropLast() {
        guard let frame = part.components(separatedBy: "\u{1B}[H").dropFirst().last else { continue }
        frames.append(frame)
        screens.append(frame.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "").components(separatedBy: "\r\n"))
      }
    }

    /// What the demo wrote on its own screen, and then on the shell's, each time.
    var visits: [(demo: String, shell: String)] {
      printed.components(separatedBy: "\u{1B}[?1049h").dropFirst().map { text in
        let parts = text.components(separatedBy: "\u{1B}[?1049l")
        return (parts[0], parts.dropFirst().joined())
      }
    }

    var settings: termios { Self.settings(of: slave) }

    private static func settings(of descriptor: Int32) -> termios {
      var settings = termios()
      tcgetattr(descriptor, &settings)
      return settings
    }

    /// Reads output until the condition holds; ends the test process if it does not hold in time.
    func wait(_ what: String, until condition: () -> Bool) {
      let start = DispatchTime.now()
      while !condition() {
        if DispatchTime.now() > start + watchdog {
          fatalError("watchdog: timed out waiting for \(what). Screen:\n\(screen.joined(separator: "\n"))")
        }
        // Reads all available output first, because the condition is about the latest frame.
        for _ in 1...100 where !readSome() { break }
      }
    }

    func wait(for text: String) { wait("'\(text)'") { screen.contains { $0.contains(text) } } }

    /// Waits for the end of the program, and reads its remaining output.
    ///
    /// - Returns: The exit status, or the negative number of the signal that ended the program.
    func waitForEnd() -> Int32 {
      wait("the end of the program") { !process.isRunning }
      while readSome() {}
      return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Reads the available output, or waits up to 10 ms for some.
    ///
    /// - Returns: Whether there was output.
    private func readSome() -> Bool {
      var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, 10) > 0 else { return false }
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = read(master, &bytes, bytes.count)
      if count > 0 {
        output += bytes.prefix(count)
        addFrames()
      }
      return count > 0
    }
  }

#endif
