import Foundation

/// What the command line asks for.
struct Options {
  static var usage: String {
    """
    usage: Benchmarks [--quick] [--json] [--rounds N] [--only TEXT] [--width N]
                      [--instructions] [--help]
           Benchmarks run --row NAME --peer NAME [--batches N] [--quick]

      --quick         see that everything works, in a few seconds; the figures
                      mean nothing
      --json          print for machines
      --rounds N      take the median of N samples instead of 11
      --only TEXT     the rows whose names contain it
      --width N       fit the table into N columns; else the terminal's, or 120
      --instructions  count instructions instead of nanoseconds, in one round, by
                      valgrind, which must be installed; takes minutes, so use --only

    run takes one figure in this process. With --batches it does N batches, and
    takes no time. What --instructions does for one figure, by hand:

      for n in 2 22; do
        SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind \\
          --callgrind-out-file=callgrind.$n .build/release/Benchmarks \\
          run --row batch-small-ended --peer ours --batches $n
      done 2>&1 | grep Collected
      callgrind_annotate --inclusive=yes callgrind.22

    The difference is 20 batches: of 100 tasks in batch-small and post-small, of one
    in one-pass, of one pass in pass. So divide it by 2000, or by 20.

    rows:   \(names(Row.all(.full).map(\.name)))
    peers:  \(names(Peer.allCases.map(\.rawValue)))
    """
  }

  private(set) var isQuick = false
  private(set) var wantsJSON = false
  private(set) var wantsHelp = false
  private(set) var countsInstructions = false
  private(set) var rounds: Int?
  private(set) var width = Options.terminalWidth ?? 120
  private var text = ""
  /// What this process is to measure itself.
  private(set) var figure: (row: String, peer: Peer, batches: Int?)?

  var scale: Scale { isQuick ? .quick : .full }

  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var arguments = Array(arguments)[...]
    let isRun = arguments.first == "run"
    if isRun { arguments.removeFirst() }
    var (row, peer, batches) = (String?.none, Peer?.none, Int?.none)
    while let argument = arguments.popFirst() {
      switch (argument, isRun) {
      case ("--quick", _): isQuick = true
      case ("--help", _), ("-h", _): wantsHelp = true
      case ("--json", false): wantsJSON = true
      case ("--instructions", false): countsInstructions = true
      case ("--rounds", false): rounds = try number(after: argument, &arguments)
      case ("--width", false): width = try number(after: argument, &arguments)
      case ("--only", false):
        guard let value = arguments.popFirst() else { throw UsageError("--only needs a part of a row's name") }
        text = value
      case ("--row", true): row = arguments.popFirst()
      case ("--peer", true): peer = arguments.popFirst().flatMap(Peer.init)
      case ("--batches", true): batches = try number(after: argument, &arguments)
      default: throw UsageError("unknown argument '\(argument)'")
      }
    }
    guard isRun, !wantsHelp else { return }
    guard let row, let peer else { throw UsageError("run needs the names of a row and of a peer") }
    figure = (row, peer, batches)
  }

  /// The rows that the command line asks for.
  func rows() throws(UsageError) -> [Row] {
    let rows = Row.all(scale).filter {
      (text.isEmpty || $0.name.contains(text)) && (!countsInstructions || $0.isCountable)
    }
    guard !rows.isEmpty else {
      throw UsageError("no row to \(countsInstructions ? "count" : "measure") is named '\(text)'")
    }
    return rows
  }

  private static var terminalWidth: Int? {
    var window = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else { return nil }
    return Int(window.ws_col)
  }

  private static func names(_ names: [String]) -> String {
    var lines = [""]
    for name in names {
      if lines[lines.count - 1].count + name.count > 70 { lines.append("") }
      lines[lines.count - 1] += name + "  "
    }
    return lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n        ")
  }
}

private func number(after option: String, _ arguments: inout ArraySlice<String>) throws(UsageError) -> Int {
  guard let number = arguments.popFirst().flatMap({ Int($0) }), number > 0 else {
    throw UsageError("\(option) needs a number above zero")
  }
  return number
}

/// What is wrong with the command line.
struct UsageError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
