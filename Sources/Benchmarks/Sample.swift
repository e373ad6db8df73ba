import Foundation

/// One figure of one peer, taken in a process of its own: no peer meets what another has left attached to the loop or in the
/// heap, and the luck of a process with its memory's layout is drawn anew for each.
struct Sample {
  static let flag = "--sample"

  let workload: String
  let peer: Peer

  /// Takes it, in a process that this program starts from itself.
  func take(isQuick: Bool) -> Double {
    guard let program = Bundle.main.executableURL else { fatalError("this program does not know where it is") }
    let arguments = [Sample.flag, workload, peer.rawValue] + (isQuick ? ["--quick"] : [])
    let (status, output) = Subprocess.run(program, arguments)
    guard status == 0, let figure = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      complain("\(workload), \(peer.heading): the process that measures it ended with status \(status)")
      exit(1)
    }
    return figure
  }

  /// What that process does.
  func takeHere(_ scale: Scale) throws(UsageError) {
    guard let workload = Workload.all(scale).first(where: { $0.name == workload && $0.peers.contains(peer) }) else {
      throw UsageError("nothing to measure")
    }
    alarm(120)  // ends the process if a task is lost and the loop sleeps for ever
    print(workload.measure(peer))
  }
}
