import Foundation

/// The results of a race.
struct Report {
  let rounds: Int
  /// Whether this was a smoke run, whose figures mean nothing.
  let isQuick: Bool
  let rows: [(row: Row, unit: Row.Unit, medians: [Peer: Double])]

  /// A table for 80 columns: for each row its title, the figures of the peers, and their ratios to the package's
  /// figure.
  var table: String {
    let peers = Peer.allCases.filter { peer in rows.contains { $0.medians[peer] != nil } }
    var lines = [line(peers.map { $0.heading + " " })]
    var heading = ""
    for (row, unit, medians) in rows {
      if heading != "\(row.section) (\(unit.rawValue))" {
        heading = "\(row.section) (\(unit.rawValue))"
        lines += ["", heading]
      }
      lines += ["  \(row.title)", line(peers.map { cell($0, unit, medians) })]
      let ratios = peers.map { ratio($0, medians) }
      if ratios.contains(where: { !$0.isEmpty }) { lines.append(line(ratios)) }
    }
    let notes = Row.notes.filter { note in rows.contains { $0.row.title.contains(note.prefix { $0 != "]" } + "]") } }
    let legend = peers.map { "\($0.heading): \($0.title)" }
    return [header, lines, notes, legend].filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
      .joined(separator: "\n\n")
  }

  /// A line for each row below its bar. Nothing of a run whose figures mean nothing is.
  var rowsBelowTheirBars: [String] {
    rows.compactMap { row, _, medians in
      guard !isQuick, isOptimized, let bar = row.bar, let ours = medians[.ours], let dispatch = medians[.dispatch],
        dispatch < bar * ours
      else { return nil }
      return "\(row.name) is below its bar: Dispatch takes x\(rounded(dispatch / ours, places: 2)), not x\(bar)"
    }
  }

  private func cell(_ peer: Peer, _ unit: Row.Unit, _ medians: [Peer: Double]) -> String {
    guard let median = medians[peer] else { return "- " }
    let isBest = peer != .floor && median == medians.filter { $0.key != .floor }.values.min()
    return rounded(median, places: unit == .milliseconds ? 1 : 0) + (isBest ? "*" : " ")
  }

  private func ratio(_ peer: Peer, _ medians: [Peer: Double]) -> String {
    guard peer != .ours, let median = medians[peer], let ours = medians[.ours], ours > 0 else { return "" }
    let ratio = median / ours
    return "x" + rounded(ratio, places: ratio < 10 ? 2 : ratio < 100 ? 1 : 0) + " "
  }

  private func line(_ cells: [String]) -> String {
    var line = "    " + cells.map { String(repeating: " ", count: max(0, 12 - $0.count)) + $0 }.joined()
    while line.last == " " { line.removeLast() }
    return line
  }

  private var header: [String] {
    [
      "\(processorName), \(ProcessInfo.processInfo.activeProcessorCount) cores; "
        + ProcessInfo.processInfo.operatingSystemVersionString,
      // Of the first toolchain in the path, which `swift run` belongs to.
      firstLine(of: "swift", "--version") ?? "unknown version of Swift",
      rounds == 1 ? "one round" : "median of \(rounds) interleaved rounds",
      "*: the best except for the floor; x: the ratio to ours",
    ]
      + (isQuick ? ["a smoke run: these figures mean nothing"] : [])
      + (isOptimized ? [] : ["not optimized: these figures mean nothing (use -c release)"])
  }

  private var isOptimized: Bool {
    var isOptimized = true
    assert({ isOptimized = false }() == ())
    return isOptimized
  }

  private var processorName: String {
    #if canImport(Darwin)
      let name = firstLine(of: "sysctl", "-n", "machdep.cpu.brand_string")
    #else
      let name = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
        .split(separator: "\n").first { $0.hasPrefix("model name") }?
        .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    #endif
    return name ?? "unknown processor"  // some architectures give no name
  }

  private func firstLine(of command: String...) -> String? {
    let (status, output) = runProgram(command)
    return status == 0 ? output.split(separator: "\n").first.map(String.init) : nil
  }
}

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
  if number >= 999_999.5 { return String(format: "%.1fM", number / 1_000_000) }
  return places > 0 ? String(format: "%.\(places)f", number) : grouped(Int(number.rounded()))
}
