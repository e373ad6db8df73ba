#if os(Linux)
  import Foundation

  // The main run loop inside a loop of `poll`. Prints one event a line, which `PollHostTests` compares.

  let tests = waking.merging(loads) { $1 }.merging(nesting) { $1 }.merging(mistakes) { $1 }
  guard let name = CommandLine.arguments.dropFirst().first, let test = tests[name] else { fatalError("no such test") }
  test()
#endif
