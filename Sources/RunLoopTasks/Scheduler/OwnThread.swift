import Foundation
import Synchronization

/// Says to which thread a scheduler's variables belong. Debug builds check it at each use of the
/// store and of the runs, and where the clock changes.
struct OwnThread: ~Copyable, Sendable {
  private enum Stage: UInt8, AtomicRepresentable {
    /// They belong to the thread that makes the scheduler: the loop's own or, for the main loop, perhaps another. That one
    /// leaves them alone once the scheduler is made, and the main thread has the scheduler installed before it uses them.
    case made
    /// They belong to the loop's own thread, which has the scheduler installed. So the scheduler ends with the thread.
    case installed
    /// They belong to the thread that has ended the scheduler.
    case ended
  }

  private let stage = Atomic(Stage.made)
  /// A copy: each access to a static constant asks whether it was initialized.
  private let key = ThreadLocalScheduler.key

  var hasInstalled: Bool { stage.load(ordering: .acquiring) != .made }

  func noteInstalled() { stage.store(.installed, ordering: .releasing) }

  func noteEnd() { stage.store(.ended, ordering: .releasing) }

  /// Whether the calling code runs on the loop's own thread, and the scheduler has not ended; `nil` if the thread has no
  /// scheduler.
  @inline(__always)
  func isCurrent(with scheduler: Scheduler) -> Bool? { ThreadLocalScheduler.holds(scheduler, for: key) }

  /// Stops a debug build on a thread to which the variables do not belong.
  @inline(__always)
  func check(_ scheduler: Scheduler) {
    assert(
      stage.load(ordering: .acquiring) != .installed || isCurrent(with: scheduler) == true,
      "a variable of a scheduler was used on a thread to which it does not belong")
  }
}
