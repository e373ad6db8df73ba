/// What the command line asks for.
struct Options {
  static let roundsWithoutTerminal = 3
  static let usage = """
    usage: Demo [--rounds N] [--help]

      --rounds N   print N rounds and exit; without it the grid is redrawn in place until Ctrl-C,
                   or, if the output is not a terminal, \(roundsWithoutTerminal) rounds are printed
    """

  private(set) var rounds: Int?
  private(set) var wantsHelp = false

  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var arguments = arguments.makeIterator()
    while let argument = arguments.next() {
      switch argument {
      case "--rounds":
        guard let value = arguments.next() else { throw UsageError("--rounds needs a number") }
        guard let number = Int(value), number > 0 else {
          throw UsageError("--rounds needs a number above zero, not '\(value)'")
        }
        rounds = number
      case "--help", "-h": wantsHelp = true
      default: throw UsageError("unknown argument '\(argument)'")
      }
    }
  }
}

/// What is wrong with the command line.
struct UsageError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
