#if os(macOS) || os(Linux)  // programs on other systems have no terminal

  import Foundation

  /// The terminal during the demo: the alternate screen, no cursor, keys without Return.
  @MainActor
  final class Terminal {
    /// Whether the terminal understands sequences that move its cursor.
    static var obeysEscapes: Bool {
      !["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM"] ?? "")
    }

    /// Whether standard input is a terminal, so that keys work.
    let hasKeys = isatty(STDIN_FILENO) == 1
    private var original = termios()
    private var isTaken = false

    /// The current size of the window.
    var size: (rows: Int, columns: Int) {
      var window = winsize()
      guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0, window.ws_col > 0 else {
        return (24, 80)
      }
      return (Int(window.ws_row), Int(window.ws_col))
    }

    func take() {
      guard !isTaken else { return }
      isTaken = true
      if hasKeys, tcgetattr(STDIN_FILENO, &original) == 0 {
        var raw = original
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
      }
      write("\u{1B}[?1049h\u{1B}[?25l")
    }

    /// Restores the terminal.
    func restore() {
      guard isTaken else { return }
      isTaken = false
      write("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
      // Drops unread keys: they are for the demo, not for the shell. Keeping them would also set PENDIN on macOS.
      if hasKeys { tcsetattr(STDIN_FILENO, TCSAFLUSH, &original) }
    }

    /// Replaces the contents of the screen with these lines. Between `restore` and `take` the screen is the shell's.
    func show(_ lines: [String]) {
      guard isTaken else { return }
      // Clears each line before writing it. Clearing after a full line erases its last column on some terminals.
      write("\u{1B}[H" + lines.map { "\u{1B}[K\($0)\u{1B}[0m" }.joined(separator: "\n") + "\u{1B}[J")
    }

    /// Writes even if the terminal has closed: a signal then ends the program.
    private func write(_ text: String) {
      print(text, terminator: "")
      fflush(nil)
    }
  }

  /// Calls handlers for keys and signals on the main thread, until it is released.
  @MainActor
  final class Events {
    private var sources: [any DispatchSourceProtocol] = []

    /// - Parameter onEnd: is called when the terminal has closed.
    func onKey(_ handler: @escaping @MainActor (Character) -> Void, onEnd: @escaping @MainActor () -> Void) {
      let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
      source.setEventHandler {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else {
          source.cancel()
          return MainActor.assumeIsolated(onEnd)
        }
        MainActor.assumeIsolated { bytes.prefix(count).forEach { handler(Character(UnicodeScalar($0))) } }
      }
      keep(source)
    }

    func onSignal(_ number: Int32, _ handler: @escaping @MainActor () -> Void) {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { MainActor.assumeIsolated(handler) }
      keep(source)
    }

    private func keep(_ source: any DispatchSourceProtocol) {
      sources.append(source)
      source.activate()
    }
  }

#endif
