/// How much of each workload is done for one sample.
struct Scale {
  /// The size of the large batches.
  let many: Int
  /// The tasks worked off beside a timer.
  let backlog: Int
  /// How often a sleeping loop is woken.
  let wakeUps: Int
  /// How long short work is repeated.
  let time: Duration

  static let full = Scale(many: 100_000, backlog: 1000, wakeUps: 200, time: .milliseconds(50))
  static let quick = Scale(many: 2000, backlog: 50, wakeUps: 20, time: .milliseconds(2))
}
