import Foundation

// The race of the package against its peers. Not async: on Linux an async main never runs the main loop.

func complain(_ text: String) { FileHandle.standardError.write(Data("Benchmarks: \(text)\n".utf8)) }

do {
  let options = try Options(CommandLine.arguments.dropFirst())
  if options.wantsHelp {
    print(Options.usage)
  } else if let sample = options.sample {
    try sample.takeHere(options.scale)
  } else {
    let workloads = Workload.all(options.scale).filter { options.row == nil || options.row == $0.name }
    let rounds = options.rounds ?? (options.isQuick ? 1 : 11)
    let race = Race(workloads: workloads, rounds: rounds, isQuick: options.isQuick)
    let report = Report(machine: Machine(), rounds: rounds, isQuick: options.isQuick, rows: race.run())
    print(options.wantsJSON ? try report.json : Table(report: report).text)
  }
} catch {
  complain("\(error)\n\(Options.usage)")
  exit(64)  // EX_USAGE
}
exit(0)  // whatever is still pending
