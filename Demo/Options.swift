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
  static let roundsOfRecording = 3
  static let usage = """
    usage: Demo [--dispatch] [--rounds N]
           Demo --record FILE.svg [--rounds N]
           Demo timeline
           Demo --help

      --dispatch          beside the view that reloads at the end of the pass, show
                          one that reloads by DispatchQueue.main.async, and count
                          the frames that show its old contents
      --rounds N          print N rounds and exit
      --record FILE.svg   write \(roundsOfRecording) rounds, or N, of both views as animated pictures:
                          FILE.svg for light pages, FILE~dark.svg for dark ones
      timeline            print when tasks run, pass by pass
      --help              print this help

    Without arguments the demo shows both views until you press q. If the output is
    not a terminal, or TERM is dumb, the demo prints \(roundsWithoutScreen) rounds.
    """

  let form: Form
  /// Whether the rounds show the view that reloads through the main queue, too.
  let comparesMainQueue: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    var arguments = arguments
    var options: [String] = []
    var rounds: Int?
    var path: String?
    var isTimeline = false
    var comparesMainQueue = false
    while let argument = arguments.next() {
      switch argument {
      case "--dispatch":
        options.append(argument)
        comparesMainQueue = true
      case "--rounds":
        options.append(argument)
        rounds = try arguments.number(of: argument)
      case "--record":
        options.append(argument)
        path = try arguments.value(of: argument, "a file name")
      case "timeline": isTimeline = true
      case "--help", "-h":
        (form, self.comparesMainQueue) = (.help, false)
        return
      default: throw UsageError("unknown argument '\(argument)'")
      }
    }
    self.comparesMainQueue = comparesMainQueue
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
