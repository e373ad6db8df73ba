import Foundation
import Synchronization

/// A mode of a loop, or the common modes.
///
/// A loop never loses a mode, and neither does its scheduler.
final class LoopMode: @unchecked Sendable {
  // Unchecked, because `tasks` and `isCommon` belong to the loop's own thread, and the lock of `LoopAttachment` guards
  // `isObserved` and the calls to `host`.

  let name: RunLoop.Mode
  let id: ModeID
  let host: any HostMode
  // Exclusivity is not checked at run time, as in `Scheduler`.
  @exclusivity(unchecked) var tasks = ModeTasks()
  /// The package observes the mode.
  var isObserved = false
  /// The mode is known to be common. It then remains common.
  var isCommon = false
  /// Runs of the mode are kept alive: tasks or unread messages may be there for it, or a run of it has to wake
  /// once more to find the mode empty.
  ///
  /// Any thread attaches, with the lock, and only the loop's own thread detaches. It may rely on `true` without the
  /// lock, because that is stored, and released, after the source has come into the mode:
  ///
  ///     sender        lock ─ attach ─ true ─ unlock
  ///     own thread                      └ schedules without the lock, and runs the loop
  private let attached = Atomic(false)
  /// When the timer of `arm` ends the next sleep, in nanoseconds of the uptime, even if that date has passed; `.max`
  /// for never. Zero stands for at once, until an activity at which that timer may have fired.
  ///
  /// Any thread stores it, with the lock, once the timer is in the mode. Only the loop's own thread resets it without
  /// the lock, at an activity, after which it reads the messages again before it sleeps. At worst the mode is armed a
  /// second time, or a sender reads a stale zero and arms nothing. That sender has seen `endsByTimer`, and so wakes the
  /// loop:
  ///
  ///     sender        lock ─ endsByTimer ────────────────────── armed for now: true ─ unlock ─ wakeUp
  ///     own thread              └ activity: resets ─ … ─ check: reads the message, or is woken
  private let armedDate = Atomic(Int64.max)

  init(_ name: RunLoop.Mode, _ id: ModeID, _ host: any HostMode) {
    (self.name, self.id, self.host) = (name, id, host)
  }

  var isAttached: Bool { attached.load(ordering: .acquiring) }

  func attach() {
    host.attach()
    attached.store(true, ordering: .releasing)
  }

  func detach() {
    attached.store(false, ordering: .relaxed)
    armedDate.store(.max, ordering: .relaxed)
    host.detach()
  }

  var isArmedForNow: Bool { armedDate.load(ordering: .acquiring) == 0 }

  func hasDateCome(_ now: Int64) -> Bool { armedDate.load(ordering: .acquiring) <= now }

  /// Whether a timer for a date need not be made anew. One that is due within a millisecond must, because it may have
  /// fired a little early.
  func keepsTimer(for date: Int64, _ now: Int64) -> Bool {
    date == armedDate.load(ordering: .acquiring) && date > now.addingSaturated(1_000_000)
  }

  /// Ends the next sleep in the mode at a date, or at once without one; `.max` takes that back.
  func arm(at date: Int64 = 0, _ now: Int64 = 0) {
    // A microsecond later, because CoreFoundation's dates are coarser, and not later than CoreFoundation can count.
    let seconds = date == 0 ? 0 : max(0, min(Double(date - now) / 1e9 + 1e-6, 1e9))
    host.arm(after: date == .max ? nil : seconds)
    armedDate.store(date, ordering: .releasing)
  }

  /// Notes that a run of the mode is at an activity, so that a timer that was due at once may have fired.
  func forgetFiredTimer() {
    if isArmedForNow { armedDate.store(.max, ordering: .relaxed) }
  }
}
