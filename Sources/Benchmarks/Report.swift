import Foundation

/// What a race has found out.
struct Report: Encodable {
  let machine: Machine
  let rounds: Int
  /// Whether the figures are those of a smoke run, which mean nothing.
  let isQuick: Bool
  let rows: [Result]

  /// A row with its figures.
  struct Result: Encodable {
    let name: String
    let section: String
    let title: String
    let unit: Row.Unit
    /// Without the peers that make no sense in this row.
    let figures: [Figure]
  }

  struct Figure: Encodable {
    let peer: Peer
    let median: Double
    let minimum: Double
    let maximum: Double
    /// How many times ours it is, `nil` if ours is nothing.
    let ratio: Double?
    /// Whether none but the floor's is lower.
    let isBest: Bool
  }
}

extension Report.Result {
  init(_ row: Row, unit: Row.Unit, _ samples: [Peer: [Double]]) {
    let medians = samples.mapValues(\.median)
    let ours = medians[.ours] ?? 0
    let best = medians.filter { $0.key != .floor }.values.min()
    let figures = Peer.allCases.compactMap { peer in
      medians[peer].map { median in
        Report.Figure(
          peer: peer, median: median, minimum: samples[peer]?.min() ?? median, maximum: samples[peer]?.max() ?? median,
          ratio: ours > 0 ? median / ours : nil, isBest: peer != .floor && median == best)
      }
    }
    self.init(name: row.name, section: row.section, title: row.title, unit: unit, figures: figures)
  }
}

extension Report {
  /// The report for machines.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}

/// Where the race took place.
struct Machine: Encodable {
  var processor = Machine.processorName
  var cores = ProcessInfo.processInfo.activeProcessorCount
  var system = ProcessInfo.processInfo.operatingSystemVersionString
  var swift = Machine.swiftVersion
  var isOptimized = Machine.isOptimized

  private static var processorName: String {
    #if canImport(Darwin)
      output(of: "/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string") ?? "unknown processor"
    #else
      // Not every architecture gives a name.
      (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
        .split(separator: "\n").first { $0.hasPrefix("model name") }?
        .split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
    #endif
  }

  /// The version of the toolchain that is found first; `swift run` is part of it.
  private static var swiftVersion: String {
    output(of: "/usr/bin/env", "swift", "--version") ?? "unknown version of Swift"
  }

  private static var isOptimized: Bool {
    var isOptimized = true
    assert(
      {
        isOptimized = false
        return true
      }())
    return isOptimized
  }

  private static func output(of program: String, _ arguments: String...) -> String? {
    let (status, output) = runProgram(URL(fileURLWithPath: program), arguments)
    return status == 0 ? output.split(separator: "\n").first.map(String.init) : nil
  }
}
