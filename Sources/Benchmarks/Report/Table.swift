/// A report for people: a row a workload, a column a peer, and beside each figure how many times ours it is.
struct Table {
  let report: Report

  var text: String {
    let rows = [["", "unit"] + Peer.allCases.map(\.heading)] + report.rows.map(cells)
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      row.indices.map { column in
        let padding = String(repeating: " ", count: widths[column] - row[column].count)
        return column < 2 ? row[column] + padding : padding + row[column]
      }.joined(separator: "  ")
    }
    return ([header] + lines + ["", Workload.notes, "", legend]).joined(separator: "\n")
  }

  private var header: String {
    let machine = report.machine
    return """
      \(machine.processor), \(machine.cores) cores; \(machine.system); \(machine.swift)
      \(report.rounds == 1 ? "one round" : "median of \(report.rounds) interleaved rounds"); in brackets, how many times ours\(warnings)

      """
  }

  private var warnings: String {
    (report.isQuick ? "; a smoke run: these figures mean nothing" : "")
      + (report.machine.isOptimized ? "" : "; not optimized: these figures mean nothing (use -c release)")
  }

  private var legend: String {
    let width = Peer.allCases.map(\.heading.count).max() ?? 0
    return Peer.allCases.map {
      $0.heading + String(repeating: " ", count: width - $0.heading.count) + "  " + $0.title
    }.joined(separator: "\n")
  }

  private func cells(_ row: Report.Row) -> [String] {
    [row.title, row.unit.rawValue]
      + Peer.allCases.map { peer in row.figures.first { $0.peer == peer }.map { cell($0, row.unit) } ?? "-" }
  }

  private func cell(_ figure: Report.Figure, _ unit: Workload.Unit) -> String {
    let number = rounded(figure.median, places: unit == .milliseconds ? 1 : 0)
    guard figure.peer != .ours else { return number }
    guard let ratio = figure.ratio else { return "\(number) (-)" }
    return "\(number) (\(rounded(ratio, places: ratio < 10 ? 2 : ratio < 100 ? 1 : 0)))"
  }
}
