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
  /// Whether the package observes the mode.
  var isObserved = false
  /// Whether a mode is known to be common. It then remains common.
  var isCommon = false
  /// Whether runs of the mode are kept alive, because tasks or unread messages may be there for it.
  ///
  /// Any thread attaches, with the lock, and only the loop's own thread detaches. It may rely on `true` without the
  /// lock, because that is stored, and released, after all that it stands for:
  ///
  ///     sender        lock ─ attach ─ true ─ unlock
  ///     own thread                      └ schedules without the lock, and runs the loop
  private let attached = Atomic(false)
  /// When `makeDue` ends the next sleep, in nanoseconds of the uptime: zero for at once, `.max` for never or if the
  /// timer may have fired already.
  ///
  /// Any thread sets it, with the lock, once the timer is in the mode. Only the loop's own thread forgets it without the
  /// lock, at an activity, after which it reads the messages again before it sleeps. If it forgets a date that has just
  /// been set, the mode is made due once more, in vain. A sender that still reads zero then makes nothing due, but has
  /// seen `endsByDueMode`, and so wakes the loop as well:
  ///
  ///     sender        lock ─ endsByDueMode ────────────────────── due at once: true ─ unlock ─ wakeUp
  ///     own thread              └ activity: forgets ─ … ─ check: reads the message, or is woken
  private let dueDate = Atomic(Int64.max)

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
    dueDate.store(.max, ordering: .relaxed)
    host.detach()
  }

  var isDueAtOnce: Bool { dueDate.load(ordering: .acquiring) == 0 }

  /// Whether the date has come.
  func hasFired(_ now: Int64) -> Bool { dueDate.load(ordering: .acquiring) <= now }

  /// Whether a timer for a date need not be made anew. One that is due within a millisecond must, because it may have
  /// fired a little early.
  func keepsTimer(for date: Int64, _ now: Int64) -> Bool {
    date == dueDate.load(ordering: .acquiring) && date > now.addingSaturated(1_000_000)
  }

  /// Ends the next sleep in the mode at a date, at once for zero, or never for `.max`.
  func makeDue(at date: Int64 = 0, _ now: Int64 = 0) {
    // A microsecond later, because CoreFoundation's dates are coarser, and not later than CoreFoundation can count.
    let seconds = date == 0 ? 0 : max(0, min(Double(date - now) / 1e9 + 1e-6, 1e9))
    host.makeDue(after: date == .max ? nil : seconds)
    dueDate.store(date, ordering: .releasing)
  }

  /// Notes that a run of the mode is at an activity: it may have used up what was due at once.
  func noteActivity() {
    if isDueAtOnce { dueDate.store(.max, ordering: .relaxed) }
  }
}

/// The two modes that nearly all tasks have, recognized without hashing.
struct UsualModes {
  private let `default` = RunLoop.Mode.default.identity
  private let common = RunLoop.Mode.common.identity

  func id(of mode: RunLoop.Mode) -> ModeID? {
    let identity = mode.identity
    if identity == `default` { return .default }
    return identity == common ? .common : nil
  }
}
