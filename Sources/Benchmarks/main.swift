import Foundation

// The race of the package against its peers. Not async: on Linux an async main never runs the main loop.

func complain(_ text: String) { FileHandle.standardError.write(Data("Benchmarks: \(text)\n".utf8)) }

/// What a process does that takes one figure.
func measure(_ row: String, _ peer: Peer, batches: Int?, _ scale: Scale) throws(UsageError) {
  guard let row = Row.all(scale).first(where: { $0.name == row && $0.peers.contains(peer) }) else {
    throw UsageError("\(peer.rawValue) does not take part in a row named '\(row)'")
  }
  alarm(batches == nil ? 120 : 3600)  // ends the process if a task is lost and the loop sleeps for ever
  guard let batches else {
    return print(row.sample(peer, scale))
  }
  guard case .batches(_, let prepare) = row.measure else { throw UsageError("\(row.name) has no batches") }
  _ = prepare(peer)(batches)
}

do {
  let options = try Options(CommandLine.arguments.dropFirst())
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
} catch let error as Failure {
  complain(error.description)
  exit(1)
} catch {
  complain("\(error); --help says what there is")
  exit(64)  // EX_USAGE
}
exit(0)  // whatever is still pending
