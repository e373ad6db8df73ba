import Arguments
import Foundation
import RunLoopTasks

// Two threads exchange messages through their run loops. The main thread asks for new alphas. The secondary thread
// computes them at the end of its pass and answers in a block of the main queue. Two grids of cells then show when each
// way to reload reaches the screen: one reloads at the end of the pass, the other one by `DispatchQueue.main.async`.
// Each thread has a source with a command buffer: the secondary's receives the questions, the main thread's learns of
// threads that come and go.

#if os(macOS) || os(Linux)
  let options: Options
  do {
    options = try Options(Arguments())
  } catch {
    error.exit(usage: "swift run Demo --help lists the arguments")
  }

  let isTerminal = isatty(STDOUT_FILENO) == 1

  switch options.form {
  case .help:
    output(Options.usage + "\n")
  case .timeline:
    TimelineLesson.printAll()
  case .recording(let path, let rounds):
    Recorder.run(path: path, rounds: rounds)
  case .automatic where isTerminal && Terminal.obeysEscapes:
    TerminalScreen.run()
  case .automatic:
    PlainScreen.run(rounds: Options.roundsWithoutScreen, interval: 0.1, palette: .none)
  case .rounds(let rounds):
    PlainScreen.run(rounds: rounds, interval: isTerminal ? 1 : 0.1, palette: isTerminal ? Palette() : .none)
  }
#else
  print("The demo needs a command line: run it on macOS or Linux.")
#endif
