/// A report as a table, with a row for each workload and a column for each peer. Below each figure stands its ratio to
/// the package's figure. If the table is too wide, the peers of a row stand below each other.
struct Table {
  let report: Report
  /// The number of characters that fit into a line.
  let width: Int

  var text: String {
    let table = widthOfColumns <= width ? columns : stacked
    let legend = peers.map { padded($0.heading, to: 10) + $0.title }
    return [header, table, notes, legend].filter { !$0.isEmpty }
      .map { lines in lines.flatMap(wrapped).joined(separator: "\n") }.joined(separator: "\n\n")
  }

  private var header: [String] {
    let machine = report.machine
    return [
      "\(machine.processor), \(machine.cores) cores; \(machine.system)", machine.swift,
      report.rounds == 1 ? "one round" : "median of \(report.rounds) interleaved rounds",
      "*: the best except for the floor; x: the ratio to ours",
    ]
      + (report.isQuick ? ["a smoke run: these figures mean nothing"] : [])
      + (report.machine.isOptimized ? [] : ["not optimized: these figures mean nothing (use -c release)"])
  }

  private var notes: [String] {
    Row.notes.filter { note in report.rows.contains { $0.title.contains(note.prefix(3)) } }
  }

  /// The peers with a figure.
  private var peers: [Peer] {
    Peer.allCases.filter { peer in report.rows.contains { $0.figures.contains { $0.peer == peer } } }
  }

  // MARK: Side by side

  private var widthOfTitle: Int { report.rows.map { $0.title.count }.max() ?? 0 }

  private var widthOfColumn: Int {
    let cells = report.rows.flatMap { row in row.figures.map { cell($0, row.unit).count } }
    return max(cells.max() ?? 0, peers.map(\.heading.count).max() ?? 0) + 1
  }

  private var widthOfColumns: Int { widthOfTitle + 1 + widthOfColumn * peers.count }

  private var columns: [String] {
    var lines = [line("", peers.map { $0.heading + " " })]
    for row in report.rows {
      if isFirst(row) { lines += ["", heading(row)] }
      let figures = peers.map { peer in row.figures.first { $0.peer == peer } }
      lines.append(line(row.title, figures.map { $0.map { cell($0, row.unit) } ?? "- " }))
      let ratios = line("", figures.map { $0.flatMap(ratio).map { "\($0) " } ?? "" })
      if !ratios.isEmpty { lines.append(ratios) }
    }
    return lines
  }

  private func line(_ title: String, _ cells: [String]) -> String {
    trimmed(padded(title, to: widthOfTitle + 1) + cells.map { aligned($0, to: widthOfColumn) }.joined())
  }

  // MARK: Below each other

  private var stacked: [String] {
    var lines: [String] = []
    for row in report.rows {
      if isFirst(row) { lines += lines.isEmpty ? [heading(row)] : ["", heading(row)] }
      lines.append("  \(row.title)")
      for figure in row.figures {
        let cells = aligned(cell(figure, row.unit), to: 12) + aligned(ratio(figure) ?? "", to: 9)
        lines.append(trimmed("    " + padded(figure.peer.heading, to: 10) + cells))
      }
    }
    return lines
  }

  // MARK: Cells

  private func isFirst(_ row: Report.Result) -> Bool {
    report.rows.first { $0.section == row.section && $0.unit == row.unit }?.name == row.name
  }

  private func heading(_ row: Report.Result) -> String { "\(row.section) (\(row.unit.rawValue))" }

  private func cell(_ figure: Report.Figure, _ unit: Row.Unit) -> String {
    rounded(figure.median, places: unit == .milliseconds ? 1 : 0) + (figure.isBest ? "*" : " ")
  }

  private func ratio(_ figure: Report.Figure) -> String? {
    guard figure.peer != .ours, let ratio = figure.ratio else { return nil }
    return "x" + rounded(ratio, places: ratio < 10 ? 2 : ratio < 100 ? 1 : 0)
  }

  // MARK: Lines

  /// Breaks a line that is too long between words.
  private func wrapped(_ line: String) -> [String] {
    guard line.count > width else { return [line] }
    var lines = [""]
    for word in line.split(separator: " ") {
      let longer = lines[lines.count - 1] + (lines[lines.count - 1].isEmpty ? "" : " ") + word
      if longer.count <= width { lines[lines.count - 1] = longer } else { lines.append("    " + word) }
    }
    return lines
  }

  /// The line without the spaces at its end.
  private func trimmed(_ line: String) -> String { String(line.reversed().drop { $0 == " " }.reversed()) }

  private func padded(_ text: String, to width: Int) -> String { text + spaces(width - text.count) }

  private func aligned(_ text: String, to width: Int) -> String { spaces(width - text.count) + text }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}

// MARK: Numbers

extension Collection<Double> {
  /// The middle of the sorted elements. There must be one.
  var median: Double {
    let sorted = sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

/// A number with commas between its thousands.
func grouped(_ number: Int) -> String {
  guard number >= 1000 else { return "\(number)" }
  let rest = String(number % 1000)
  return "\(grouped(number / 1000)),\(String(repeating: "0", count: 3 - rest.count))\(rest)"
}

/// A number with this many places after the point. A large number is in millions.
private func rounded(_ number: Double, places: Int) -> String {
  guard number < 999_999.5 else { return rounded(number / 1_000_000, places: 1) + "M" }
  guard places > 0 else { return grouped(Int(number.rounded())) }
  let scale = places == 1 ? 10 : 100
  let digits = String(Int((number * Double(scale)).rounded()) % scale)
  let whole = Int((number * Double(scale)).rounded()) / scale
  return "\(grouped(whole)).\(String(repeating: "0", count: places - digits.count))\(digits)"
}
