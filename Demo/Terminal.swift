#if os(macOS) || os(Linux)  // elsewhere programs have no terminal

  import Foundation

  /// The terminal while the demo has it: another screen, no cursor, keys without Return.
  @MainActor
  final class Terminal {
    /// Whether keys can be pressed: standard input is a terminal.
    let hasKeys = isatty(STDIN_FILENO) == 1
    private var original = termios()
    private var isTaken = false

    /// What the window holds at the moment.
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

    /// Gives it back as it was.
    func restore() {
      guard isTaken else { return }
      isTaken = false
      write("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
      // Keys that nobody has read are meant for the demo, not for the shell. With them kept, macOS sets PENDIN as well.
      if hasKeys { tcsetattr(STDIN_FILENO, TCSAFLUSH, &original) }
    }

    /// Shows lines from the top, and nothing else.
    func show(_ lines: [String]) {
      // Each line is cleared before it is written: behind a line of full width, some terminals would clear its last column.
      write("\u{1B}[H" + lines.map { "\u{1B}[K\($0)\u{1B}[0m" }.joined(separator: "\n") + "\u{1B}[J")
    }

    private func write(_ text: String) {
      print(text, terminator: "")
      fflush(nil)
    }
  }

  /// Hears of keys and signals on the main thread, for as long as it is kept.
  @MainActor
  final class Events {
    private var sources: [any DispatchSourceProtocol] = []

    /// - Parameter onEnd: called when the terminal has gone.
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
