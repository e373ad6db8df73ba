#if os(macOS) || os(Linux)  // programs on other systems have no terminal

  import Foundation
  import RunLoopTasks

  /// The terminal during the demo: the alternate screen, no cursor, keys without Return.
  final class Terminal: Sendable {
    /// Whether the terminal understands sequences that move its cursor.
    static var obeysEscapes: Bool { !["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM"] ?? "") }

    private let palette = Palette()
    /// Whether standard input is a terminal, so that keys work.
    fileprivate let hasKeys = isatty(STDIN_FILENO) == 1
    /// The settings of the shell, while the screen is the demo's.
    private let original = Locked<termios?>(nil)

    func take() {
      original.withLock { original in
        guard original == nil else { return }
        var settings = termios()
        if hasKeys, tcgetattr(STDIN_FILENO, &settings) == 0 {
          var raw = settings
          raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
          tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        }
        original = settings
        write("\u{1B}[?1049h\u{1B}[?25l")
      }
    }

    /// Restores the terminal.
    func restore() {
      original.withLock { original in
        guard var settings = original.take() else { return }
        write("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
        // Drops unread keys: they are for the demo, not for the shell. Keeping them would also set PENDIN on macOS.
        if hasKeys { tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
      }
    }

    /// Replaces the contents of the screen. Between `restore` and `take` the screen is the shell's.
    func show(_ page: Page) {
      original.withLock { original in
        guard original != nil else { return }
        var window = winsize()
        let hasSize = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0 && window.ws_row > 0 && window.ws_col > 0
        let (rows, columns) = hasSize ? (Int(window.ws_row), Int(window.ws_col)) : (24, 80)
        let lines = page.lines(rows: rows, columns: columns, palette: palette, hasKeys: hasKeys)
        // Clears each line before writing it. Clearing after a full line erases its last column on some terminals.
        write("\u{1B}[H" + lines.map { "\u{1B}[K\($0)\u{1B}[0m" }.joined(separator: "\n") + "\u{1B}[J")
      }
    }

    /// Ends the program with its last words on the shell's screen.
    func quit(_ words: [String]) -> Never {
      restore()
      output(words)
      exit(0)
    }

    /// Ends the program with the exit status of a signal.
    fileprivate func leave(_ signal: Int32) -> Never {
      restore()
      exit(128 + signal)
    }

    /// Writes even if the terminal has closed: a signal then ends the program.
    private func write(_ text: String) {
      print(text, terminator: "")
      fflush(nil)
    }
  }

  /// Takes the terminal, and calls handlers on the main thread until it is released: for keys, for a new size of the
  /// window, and when the program goes on after it was suspended.
  @MainActor
  final class Events {
    private var sources: [any DispatchSourceProtocol] = []

    /// - Parameter onKey: is called for keys. Ctrl-C counts as `q`.
    init(
      _ terminal: Terminal, onKey: @escaping @MainActor (Character) -> Void,
      onResize: @escaping @MainActor () -> Void = {}, onResume: @escaping @MainActor () -> Void
    ) {
      terminal.take()
      if terminal.hasKeys { readKeys(terminal, onKey) }
      onSignal(SIGINT) { onKey("q") }
      for number in [SIGTERM, SIGHUP, SIGQUIT] { onSignal(number) { terminal.leave(number) } }
      onSignal(SIGTSTP) {
        terminal.restore()
        raise(SIGSTOP)
      }
      onSignal(SIGCONT) {
        terminal.take()
        onResume()
      }
      onSignal(SIGWINCH, onResize)
    }

    private func readKeys(_ terminal: Terminal, _ handler: @escaping @MainActor (Character) -> Void) {
      let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
      source.setEventHandler {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else { terminal.leave(SIGHUP) }  // The terminal has closed.
        MainActor.assumeIsolated { bytes.prefix(count).forEach { handler(Character(UnicodeScalar($0))) } }
      }
      source.activate()
      sources.append(source)
    }

    private func onSignal(_ number: Int32, _ handler: @escaping @MainActor () -> Void) {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { MainActor.assumeIsolated(handler) }
      source.activate()
      sources.append(source)
    }
  }

#endif
