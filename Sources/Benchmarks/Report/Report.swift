import Foundation

/// What a race has found out.
struct Report: Encodable {
  let machine: Machine
  let rounds: Int
  /// Whether the figures are those of a smoke run, which mean nothing.
  let isQuick: Bool
  let rows: [Row]

  struct Row: Encodable {
    let name: String
    let title: String
    let unit: Workload.Unit
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
  }
}

extension Report.Row {
  init(_ workload: Workload, samples: [Peer: [Double]]) {
    let ours = samples[.ours]?.median ?? 0
    let figures = workload.peers.compactMap { peer in
      samples[peer].map {
        let median = $0.median
        return Report.Figure(
          peer: peer, median: median, minimum: $0.min() ?? median, maximum: $0.max() ?? median,
          ratio: ours > 0 ? median / ours : nil)
      }
    }
    self.init(name: workload.name, title: workload.title, unit: workload.unit, figures: figures)
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
