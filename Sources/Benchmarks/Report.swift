import Foundation

/// The results of a race.
struct Report: Encodable {
  var machine = Machine()
  let rounds: Int
  /// Whether this was a smoke run, whose figures mean nothing.
  let isQuick: Bool
  let rows: [Result]

  /// A row with the figures of the peers that take part in it.
  struct Result: Encodable {
    let name: String
    let section: String
    let title: String
    let unit: Row.Unit
    let figures: [Figure]
  }

  struct Figure: Encodable {
    let peer: Peer
    let median: Double
    let minimum: Double
    let maximum: Double
  }

  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}

extension Report.Result {
  init(_ row: Row, unit: Row.Unit, _ samples: [Peer: [Double]]) {
    let figures = Peer.allCases.compactMap { peer in
      samples[peer].map { Report.Figure(peer: peer, median: $0.median, minimum: $0.min()!, maximum: $0.max()!) }
    }
    self.init(name: row.name, section: row.section, title: row.title, unit: unit, figures: figures)
  }
}

// MARK: - Table

extension Report {
  /// A table for 80 columns: for each row its title, the figures of the peers, and their ratios to the package's figure.
  var table: String {
    let peers = Peer.allCases.filter { peer in rows.contains { $0.figures.contains { $0.peer == peer } } }
    var lines = [line(peers.map { $0.heading + " " })]
    var heading = ""
    for row in rows {
      let figures = peers.map { peer in row.figures.first { $0.peer == peer } }
      if heading != "\(row.section) (\(row.unit.rawValue))" {
        heading = "\(row.section) (\(row.unit.rawValue))"
        lines += ["", heading]
      }
      lines += ["  \(row.title)", line(figures.map { $0.map(row.cell) ?? "- " })]
      let ratios = figures.map { $0.flatMap(row.ratio) ?? "" }
      if ratios.contains(where: { !$0.isEmpty }) { lines.append(line(ratios)) }
    }
    let notes = Row.notes.filter { note in rows.contains { $0.title.contains(note.prefix { $0 != "]" } + "]") } }
    let legend = peers.map { "\($0.heading): \($0.title)" }
    return [header, lines, notes, legend].filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
      .joined(separator: "\n\n")
  }

  private var header: [String] {
    [
      "\(machine.processor), \(machine.cores) cores; \(machine.system)", machine.swift,
      rounds == 1 ? "one round" : "median of \(rounds) interleaved rounds",
      "*: the best except for the floor; x: the ratio to ours",
    ]
      + (isQuick ? ["a smoke run: these figures mean nothing"] : [])
      + (machine.isOptimized ? [] : ["not optimized: these figures mean nothing (use -c release)"])
  }

  private func line(_ cells: [String]) -> String {
    var line = "    " + cells.map { String(repeating: " ", count: max(0, 12 - $0.count)) + $0 }.joined()
    while line.last == " " { line.removeLast() }
    return line
  }
}

extension Report.Result {
  fileprivate func cell(_ figure: Report.Figure) -> String {
    let best = figures.filter { $0.peer != .floor }.map(\.median).min()
    let isBest = figure.peer != .floor && figure.median == best
    return rounded(figure.median, places: unit == .milliseconds ? 1 : 0) + (isBest ? "*" : " ")
  }

  fileprivate func ratio(_ figure: Report.Figure) -> String? {
    guard figure.peer != .ours, let ours = figures.first(where: { $0.peer == .ours }), ours.median > 0 else {
      return nil
    }
    let ratio = figure.median / ours.median
    return "x" + rounded(ratio, places: ratio < 10 ? 2 : ratio < 100 ? 1 : 0) + " "
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

// MARK: - Machine

/// The machine and the compiler of a race.
struct Machine: Encodable {
  var processor = Machine.processorName
  var cores = ProcessInfo.processInfo.activeProcessorCount
  var system = ProcessInfo.processInfo.operatingSystemVersionString
  /// The version of the first toolchain in the path, which `swift run` belongs to.
  var swift = Machine.firstLine(of: "/usr/bin/env", "swift", "--version") ?? "unknown version of Swift"
  var isOptimized = Machine.isOptimized

  private static var processorName: String {
    #if canImport(Darwin)
      let name = firstLine(of: "/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string")
    #else
      let name = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
        .split(separator: "\n").first { $0.hasPrefix("model name") }?
        .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    #endif
    return name ?? "unknown processor"  // some architectures give no name
  }

  private static var isOptimized: Bool {
    var isOptimized = true
    assert({ isOptimized = false }() == ())
    return isOptimized
  }

  private static func firstLine(of program: String, _ arguments: String...) -> String? {
    let (status, output) = runProgram(URL(fileURLWithPath: program), arguments)
    return status == 0 ? output.split(separator: "\n").first.map(String.init) : nil
  }
}
