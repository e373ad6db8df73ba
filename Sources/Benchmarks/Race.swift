/// Takes samples of all peers in turns, so that the machine's mood hits all alike.
struct Race {
  let workloads: [Workload]
  let rounds: Int
  let isQuick: Bool

  func run() -> [Report.Row] {
    var samples = workloads.map { _ in [Peer: [Double]]() }
    let progress = Progress()
    for round in 0..<rounds {
      for (row, workload) in workloads.enumerated() {
        for peer in turns(of: workload.peers, in: round) {
          progress.show("round \(round + 1) of \(rounds): \(workload.name), \(peer.heading)")
          samples[row][peer, default: []].append(Sample(workload: workload.name, peer: peer).take(isQuick: isQuick))
        }
      }
    }
    progress.clear()
    return zip(workloads, samples).map { Report.Row($0, samples: $1) }
  }

  /// Another peer begins each time, so that none always follows the same one.
  private func turns(of peers: [Peer], in round: Int) -> [Peer] {
    let first = round % peers.count
    return Array(peers[first...] + peers[..<first])
  }
}
