import Foundation

/// How a peer is used, each time as its users would write it. What it cannot do is `nil`, and a dash in the table.
///
/// The closures are called through a pointer, so the compiler cannot see a task's whole life and leave parts of it out.
struct Methods {
  /// Readies the main loop, before the first task.
  var prepare: () -> Void = {}
  /// Schedules a task on the main thread.
  let schedule: (_ left: Int) -> Void
  /// Schedules a task from another thread.
  var send: (@Sendable (_ left: Int) -> Void)?
  /// Makes sure that the loop notices a batch that was sent, if the peer does not.
  var wake: (@Sendable () -> Void)?
  /// Schedules a task in `RunLoop.Mode.parked`.
  var park: (() -> Void)?
  var cancelling: Cancelling?

  /// Runs one batch of tasks.
  func runBatch(of size: Int) {
    for left in stride(from: size - 1, through: 0, by: -1) { schedule(left) }
    MainLoop.run()
  }
}

extension RunLoop.Mode {
  /// A mode in which the loop is never run.
  static let parked = RunLoop.Mode("parked")
}
