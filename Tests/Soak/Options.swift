/// What the command line asks for.
struct Options: Sendable {
  static let usage = """
    usage: Soak [--seconds N] [--seed N] [--loops N] [--patience N] [--help]

      --seconds N   how long to go on, 60 if not said
      --seed N      where the random choices start; it does not decide how the threads interleave
      --loops N     how many loops there are at once besides the main one, 32 if not said
      --patience N  how many seconds anything may take before it counts as stuck, 300 if not said
    """

  private(set) var seconds = 60
  private(set) var seed = UInt64.random(in: 1...999_999)
  private(set) var loops = 32
  private(set) var patience = 300
  private(set) var wantsHelp = false

  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var arguments = arguments.makeIterator()
    while let argument = arguments.next() {
      func number() throws(UsageError) -> Int {
        guard let number = arguments.next().flatMap({ Int($0) }), number > 0 else {
          throw UsageError("\(argument) needs a number above zero")
        }
        return number
      }
      switch argument {
      case "--seconds": seconds = try number()
      case "--seed": seed = UInt64(try number())
      case "--loops": loops = try number()
      case "--patience": patience = try number()
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
