import Arguments

/// The options of the command line.
struct Options {
  /// The ways to run the demo.
  enum Form {
    /// Shows the views on a terminal, and prints some rounds otherwise.
    case automatic
    case rounds(Int)
    case recording(path: String, rounds: Int)
    case timeline
    case help
  }

  static let roundsWithoutScreen = 3
  static let roundsOfRecording = 2
  static let usage = """
    usage: Demo [--rounds N]
           Demo --record FILE.svg [--rounds N]
           Demo timeline
           Demo --help

      --rounds N          print N rounds, each with its first frame, and exit
      --record FILE.svg   write \(roundsOfRecording) rounds, or N, of both views as animated pictures:
                          FILE.svg for light pages, FILE~dark.svg for dark ones
      timeline            print when tasks run, pass by pass
      --help              print this help

    Each round brings a number to two views. One reloads by DispatchQueue.main.async
    and the other one at the end of the pass. Without arguments the demo runs until
    you press q. If the output is not a terminal, or TERM is dumb, it prints \(roundsWithoutScreen)
    rounds.
    """

  let form: Form

  init(_ arguments: Arguments) throws(UsageError) {
    var arguments = arguments
    var options: [String] = []
    var rounds: Int?
    var path: String?
    var isTimeline = false
    while let argument = arguments.next() {
      switch argument {
      case "--rounds":
        options.append(argument)
        rounds = try arguments.number(of: argument)
      case "--record":
        options.append(argument)
        path = try arguments.value(of: argument, "a file name")
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
}
