import Foundation

// Two threads talk through their run loops. The main thread shows a grid of cells and asks for new alphas; the secondary
// thread computes them at the end of its pass and answers; the main thread takes them and reloads at the end of its own.

let options: Options
do {
  options = try Options(CommandLine.arguments.dropFirst())
} catch {
  FileHandle.standardError.write(Data("Demo: \(error)\n\(Options.usage)\n".utf8))
  exit(64)  // EX_USAGE
}
if options.wantsHelp {
  print(Options.usage)
  exit(0)
}

let isTerminal = isatty(STDOUT_FILENO) == 1
let screen: any Screen = isTerminal && options.rounds == nil ? TerminalScreen() : PlainScreen()
let exchange = Exchange(
  worker: Worker(), screen: screen, interval: isTerminal ? 1 : 0.1,
  rounds: options.rounds ?? (isTerminal ? nil : Options.roundsWithoutTerminal))

let interrupt = onInterrupt {
  print()  // the prompt gets a line of its own
  exit(0)
}
exchange.start()
RunLoop.main.run()
