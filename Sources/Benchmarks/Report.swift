import Foundation

/// The results of a race.
struct Report: Encodable {
  let machine: Machine
  let rounds: Int
  /// Whether this was a smoke run, whose figures mean nothing.
  let isQuick: Bool
  let rows: [Result]

  /// A row with its figures.
  struct Result: Encodable {
    let name: String
    let section: String
    let title: String
    let unit: Row.Unit
    /// The figures of the peers that take part in the row.
    let figures: [Figure]
  }

  struct Figure: Encodable {
    let peer: Peer
    let median: Double
    let minimum: Double
    let maximum: Double
    /// The ratio to the package's figure; `nil` if that figure is zero.
    let ratio: Double?
    /// Whether no other figure is lower, except for the floor's.
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
  /// The report as JSON.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}

/// The machine and the compiler of a race.
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
      // Some architectures give no name.
      (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
        .split(separator: "\n").first { $0.hasPrefix("model name") }?
        .split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
    #endif
  }

  /// The version of the first toolchain in the path, which `swift run` belongs to.
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
