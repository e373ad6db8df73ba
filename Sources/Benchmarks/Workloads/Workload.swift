/// A row of the table.
struct Workload {
  enum Unit: String, Codable { case nanoseconds = "ns", bytes, milliseconds = "ms" }

  /// Names it on the command line and in JSON.
  let name: String
  let title: String
  let unit: Unit
  /// Who takes part.
  let peers: [Peer]
  /// Takes one sample, in a process of its own.
  let measure: (Peer) -> Double

  init(
    _ name: String, _ title: String, _ unit: Unit = .nanoseconds, of peers: [Peer], measure: @escaping (Peer) -> Double
  ) {
    (self.name, self.title, self.unit, self.peers, self.measure) = (name, title, unit, peers, measure)
  }
}
