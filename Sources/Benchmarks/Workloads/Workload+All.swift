extension Workload {
  /// The rows, in the order of the table.
  static func all(_ scale: Scale) -> [Workload] {
    let many = grouped(scale.many)
    let everyone = Peer.allCases
    let senders = everyone.filter { $0.methods.send != nil }
    let parkers = everyone.filter { $0.methods.park != nil }
    let cancellers = everyone.filter { $0.methods.cancelling != nil }
    let users = everyone.filter { $0 != .floor && $0 != .ancestor }
    return [
      Workload("batch-small", "a task, in batches of 100", of: everyone) { $0.batches(of: 100, scale) },
      Workload("batch-large", "a task, in batches of \(many)", of: everyone) { $0.batches(of: scale.many, scale) },
      Workload("one-pass", "one task and one pass", of: everyone) { $0.batches(of: 1, scale) },
      Workload("pass-idle", "a pass, nothing pending [1]", of: [.ours, .floor]) {
        passes(afterUsing: $0 == .ours ? .ours : nil, parked: 0, scale)
      },
      Workload("pass-parked", "a pass, \(many) pending in another mode [2]", of: [.ours, .floor] + parkers.dropFirst())
      {
        $0 == .floor ? passes(afterUsing: .ours, parked: 0, scale) : passes(afterUsing: $0, parked: scale.many, scale)
      },
      Workload("send-many", "a task of \(many) from another thread", of: senders) {
        $0.sends(of: scale.many, times: 4)
      },
      Workload("send-one", "one task from another thread to a sleeping loop", of: senders) {
        $0.sends(of: 1, times: scale.wakeUps)
      },
      Workload("cancel-one", "schedule and cancel, one by one [3]", of: cancellers) {
        $0.cancelling(scale, \.oneByOne)
      },
      Workload("cancel-batch", "schedule 100, cancel 100 [3]", of: cancellers) { $0.cancelling(scale, \.together) },
      Workload("bytes-cancelled", "bytes kept for a cancelled task", .bytes, of: cancellers.filter { $0 != .floor }) {
        $0.bytesCancelled(scale)
      },
      Workload("bytes-pending", "bytes for a pending task", .bytes, of: everyone) { $0.bytesPending(scale) },
      Workload("lateness", "lateness of a timer beside \(grouped(scale.backlog)) tasks [4]", .milliseconds, of: users) {
        $0.lateness(scale)
      },
    ]
  }

  /// What the numbers in brackets say.
  static let notes = """
    [1] ours: the package is in use, a task has run before; floor: it was never used.
    [2] floor: the package is in use, none pending.
    [3] floor: the task is put into an array, and the array emptied. Dispatch, Operation: with the pass that clears up.
    [4] the worst, in ms, of a 10 ms timer, while tasks of 0.5 ms each are worked off; ours with a budget of 4 ms a pass.
    """
}
