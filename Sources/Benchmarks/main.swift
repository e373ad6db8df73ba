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
    let rounds = options.rounds ?? (options.isQuick || options.countsInstructions ? 1 : 11)
    let report = try Race(rows: try options.rows(), rounds: rounds, options: options).run()
    print(report.table)
    report.rowsBelowTheirBars.forEach(printError)
    if !report.rowsBelowTheirBars.isEmpty { exit(1) }
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
  guard case .batches(_, _, let prepare) = row.measure else { throw UsageError("\(row.name) has no batches") }
  _ = prepare(peer)(batches)
}

/// The options of the command line.
struct Options {
  static var usage: String {
    """
    usage: Benchmarks [--quick] [--rounds N] [--only TEXT] [--instructions] [--help]
           Benchmarks run --row NAME --peer NAME [--batches N] [--quick]

      --quick         check in a few seconds that everything works; the figures
                      mean nothing
      --rounds N      take the median of N samples instead of 11
      --only TEXT     measure only the rows whose names contain TEXT
      --instructions  count the instructions of ours and the floor with valgrind
                      instead of nanoseconds, in one round

    run measures one figure in this process, or runs N batches and measures nothing:
    --instructions compares two numbers of batches, and callgrind_annotate tells
    where the instructions are.

    rows:   \(Row.all(.full).map(\.name).joined(separator: "\n        "))
    peers:  \(Peer.allCases.map(\.rawValue).joined(separator: "  "))
    """
  }

  private(set) var isQuick = false
  private(set) var wantsHelp = false
  private(set) var countsInstructions = false
  private(set) var rounds: Int?
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
      case ("--instructions", false): countsInstructions = true
      case ("--rounds", false): rounds = try arguments.number(of: argument)
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
}
