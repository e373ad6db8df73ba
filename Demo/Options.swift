/// What the command line asks for.
struct Options {
  /// The forms of the demo.
  enum Form {
    /// On a terminal the grid, otherwise some rounds as text.
    case automatic
    case rounds(Int)
    case recording(path: String, rounds: Int)
    case timeline
    case help
  }

  static let roundsWithoutTerminal = 3
  static let roundsOfRecording = 6
  static let usage = """
    usage: Demo [--rounds N] [--record FILE.svg]
           Demo timeline
           Demo --help

      --rounds N          print N rounds and exit. Without it, the grid is shown
                          until q is pressed; if the output is not a terminal,
                          \(roundsWithoutTerminal) rounds are printed
      --record FILE.svg   write \(roundsOfRecording) rounds, or N, as an animated picture
      timeline            print, pass by pass, when tasks run
      --help              print this
    """

  let form: Form

  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var arguments = arguments.makeIterator()
    var options: [String] = []
    var rounds: Int?
    var path: String?
    var isTimeline = false
    while let argument = arguments.next() {
      switch argument {
      case "--rounds":
        options.append(argument)
        rounds = try Self.number(arguments.next())
      case "--record":
        options.append(argument)
        guard let value = arguments.next(), !value.isEmpty, !value.hasPrefix("--") else {
          throw UsageError("--record needs a file name")
        }
        path = value
      case "timeline": isTimeline = true
      case "--help", "-h":
        form = .help
        return
      default: throw UsageError("unknown argument '\(argument)'")
      }
    }
    if isTimeline {
      if let option = options.first { throw UsageError("unknown argument '\(option)' for timeline, which takes none") }
      form = .timeline
    } else if let path {
      form = .recording(path: path, rounds: rounds ?? Self.roundsOfRecording)
    } else {
      form = rounds.map { .rounds($0) } ?? .automatic
    }
  }

  private static func number(_ value: String?) throws(UsageError) -> Int {
    guard let value else { throw UsageError("--rounds needs a number") }
    guard let number = Int(value), number > 0 else {
      throw UsageError("--rounds needs a number above zero, not '\(value)'")
    }
    return number
  }
}

/// What is wrong with the command line.
struct UsageError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
