import Arguments
import Foundation
import RunLoopTasks

// Two threads exchange messages through their run loops. The main thread shows a grid of cells and asks for new alphas.
// The secondary thread computes the alphas at the end of its pass and answers. The main thread stores them and reloads
// the grid at the end of its own pass. Each thread has a source with a command buffer for messages.

#if os(macOS) || os(Linux)
  let options: Options
  do {
    options = try Options(Arguments())
  } catch {
    error.exit(usage: Options.usage)
  }

  let isTerminal = isatty(STDOUT_FILENO) == 1

  switch options.form {
  case .help:
    print(Options.usage)
  case .timeline:
    TimelineLesson.printAll()
  case .recording(let path, let rounds):
    Recorder.run(path: path, rounds: rounds)
  case .rounds(let rounds):
    PlainScreen.run(rounds: rounds, interval: isTerminal ? 1 : 0.1)
  case .automatic where isTerminal:
    TerminalScreen.run()
  case .automatic:
    PlainScreen.run(rounds: Options.roundsWithoutTerminal, interval: 0.1)
  }
#else
  print("The demo needs a command line: run it on macOS or Linux.")
#endif
