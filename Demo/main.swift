import Arguments
import Foundation
import RunLoopTasks

// Act one: two threads exchange messages through their run loops. The main thread asks for new alphas of the cells of a
// grid. The worker thread computes them at the end of its pass and answers in a main-queue block. Two grids then show
// when each way to reload reaches the screen: one reloads at the end of the pass, the other by a flag and one block of
// the main queue.
// Act two: three spinners on three loops, beside jobs that are main-queue blocks, chunks written by hand and idle
// tasks.

/// What the command line says.
private enum Command {
  case screen, idle, timeline, help
  case rounds(Int)
  case recording(path: String, rounds: Int)
  case trace(path: String)

  static let usage = """
    usage: Demo [--rounds N]
           Demo idle [--trace FILE.json]
           Demo timeline
           Demo --record FILE.svg [--rounds N]
           Demo --help

      --rounds N          print N rounds, each with its first frame, and exit
      idle                three spinners, each beside \(Lane.jobsText) on its loop
      --trace FILE.json   write what two of these loops do, for ui.perfetto.dev
      timeline            print when tasks run, pass by pass
      --record FILE.svg   write both acts, the first with 1 or N rounds, as animated
                          pictures: FILE.svg and, for dark pages, FILE~dark.svg
      --help              print this help

    Each round brings a number to two grids. One reloads by a flag and a main-queue
    block, the other at the end of the pass. The demo runs until you press q. If the
    output is not a terminal, or TERM is dumb, it prints 3 rounds, or one of idle.
    """

  init(_ arguments: Arguments) throws(UsageError) {
    var arguments = arguments
    var rounds: Int?
    var path: String?
    if let word = arguments.first, ["idle", "timeline"].contains(word) {
      _ = arguments.next()
      if word == "idle", arguments.first == "--trace", let argument = arguments.next() {
        self = .trace(path: try arguments.value(of: argument, "a file name"))
        return
      }
      if let other = arguments.next() {
        throw UsageError(
          "unknown argument '\(other)' for \(word), which takes \(word == "idle" ? "only --trace" : "none")")
      }
      self = word == "idle" ? .idle : .timeline
      return
    }
    while let argument = arguments.next() {
      switch argument {
      case "--rounds": rounds = try arguments.number(of: argument)
      case "--record": path = try arguments.value(of: argument, "a file name")
      case "--help", "-h":
        self = .help
        return
      default: throw UsageError("unknown argument '\(argument)'")
      }
    }
    self = path.map { .recording(path: $0, rounds: rounds ?? 1) } ?? rounds.map { .rounds($0) } ?? .screen
  }
}

#if os(macOS) || os(Linux)
  private let command: Command
  do {
    command = try Command(Arguments())
  } catch {
    error.exit(usage: "swift run Demo --help lists the arguments")
  }

  private let isTerminal = isatty(STDOUT_FILENO) == 1
  private let hasScreen = isTerminal && Terminal.obeysEscapes

  switch command {
  case .help: output([Command.usage])
  case .timeline: TimelineLesson.printAll()
  case .recording(let path, let rounds): Recorder.run(path: path, rounds: rounds)
  case .screen where hasScreen: TerminalScreen.run()
  case .screen: PlainScreen.run(rounds: 3, interval: 0.1, palette: .none)
  case .rounds(let rounds):
    PlainScreen.run(rounds: rounds, interval: isTerminal ? 1 : 0.1, palette: isTerminal ? Palette() : .none)
  case .trace(let path): Idle.writeTrace(to: path)
  case .idle where hasScreen: Idle.runOnTerminal()
  case .idle: Idle.printSummary()
  }
#else
  print("The demo needs a command line: run it on macOS or Linux.")
#endif
