import Arguments
import Foundation

// Compares the package with its peers. `main` is not async, because on Linux an async main never runs the main loop.

do {
  let options = try Options(Arguments())
  if options.wantsHelp {
    print(Options.usage)
  } else if let figure = options.figure {
    try measure(figure.row, figure.peer, batches: figure.batches, options.scale)
  } else {
    let rows = try options.rows()
    let rounds = options.rounds ?? (options.isQuick || options.countsInstructions ? 1 : 11)
    let figures = try Race(rows: rows, rounds: rounds, options: options).run()
    let report = Report(machine: Machine(), rounds: rounds, isQuick: options.isQuick, rows: figures)
    print(options.wantsJSON ? try report.json : Table(report: report, width: options.width).text)
  }
} catch let error as UsageError {
  error.exit(usage: "--help lists the options")
} catch {
  printError("\(error)")
  exit(1)
}
exit(0)  // without running the tasks that are still pending

/// Measures the figure of one peer in one row, or runs so many batches of it, and prints the figure.
func measure(_ row: String, _ peer: Peer, batches: Int?, _ scale: Scale) throws(UsageError) {
  guard let row = Row.all(scale).first(where: { $0.name == row && $0.peers.contains(peer) }) else {
    throw UsageError("\(peer.rawValue) does not take part in a row named '\(row)'")
  }
  alarm(batches == nil ? 120 : 3600)  // ends the process if a task is lost and the loop never wakes again
  guard let batches else { return print(row.sample(peer, scale)) }
  guard case .batches(_, let prepare) = row.measure else { throw UsageError("\(row.name) has no batches") }
  _ = prepare(peer)(batches)
}

/// The options of the command line.
struct Options {
  static var usage: String {
    """
    usage: Benchmarks [--quick] [--json] [--rounds N] [--only TEXT] [--width N]
                      [--instructions] [--help]
           Benchmarks run --row NAME --peer NAME [--batches N] [--quick]

      --quick         check in a few seconds that everything works; the figures
                      mean nothing
      --json          print JSON
      --rounds N      take the median of N samples instead of 11
      --only TEXT     measure only the rows whose names contain TEXT
      --width N       fit the table into N columns; the default is the width of
                      the terminal, or 120
      --instructions  count instructions with valgrind instead of nanoseconds, in
                      one round; this takes minutes, so combine it with --only

    run measures one figure in this process. With --batches it runs N batches and
    measures nothing. These commands count the instructions of one figure, as
    --instructions does:

      for n in 2 22; do
        SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind \\
          --callgrind-out-file=callgrind.$n .build/release/Benchmarks \\
          run --row batch-small-ended --peer ours --batches $n
      done 2>&1 | grep Collected
      callgrind_annotate --inclusive=yes callgrind.22

    The difference is 20 batches. A batch has 100 tasks in batch-small and
    post-small, one task in one-pass, and one pass in pass. So divide the
    difference by 2000 or by 20.

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
  /// The figure that this process measures itself.
  private(set) var figure: (row: String, peer: Peer, batches: Int?)?

  var scale: Scale { isQuick ? .quick : .full }

  init(_ arguments: Arguments) throws(UsageError) {
    var arguments = arguments
    let isRun = arguments.first == "run"
    if isRun { _ = arguments.next() }
    var (row, peer, batches) = (String?.none, Peer?.none, Int?.none)
    while let argument = arguments.next() {
      switch (argument, isRun) {
      case ("--quick", _): isQuick = true
      case ("--help", _), ("-h", _): wantsHelp = true
      case ("--json", false): wantsJSON = true
      case ("--instructions", false): countsInstructions = true
      case ("--rounds", false): rounds = try arguments.number(of: argument)
      case ("--width", false): width = try arguments.number(of: argument)
      case ("--only", false): text = try arguments.value(of: argument, "a part of a row's name")
      case ("--row", true): row = arguments.next()
      case ("--peer", true): peer = arguments.next().flatMap(Peer.init)
      case ("--batches", true): batches = try arguments.number(of: argument)
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
