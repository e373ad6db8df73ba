import CoreFoundation
import Foundation

/// The event loop of other code that the main loop is embedded in. While the main loop is outside its runs, the main
/// thread sleeps there.
package protocol EventLoop: AnyObject, Sendable {
  /// Makes the event loop call `EmbeddedLoop.runPass()`. Any thread may call this.
  func wakeUp()

  /// Does the same at a date of the uptime, `.max` for never. The next call takes that back. Main thread only.
  func setAlarm(at uptime: Int64)
}

/// The main loop, for the product that embeds it. Only the main thread calls these, except for `isOnMainThread` and
/// `end()`.
package enum EmbeddedLoop {
  private static let loop = Scheduler.main.loop as? SystemLoop

  package static var isOnMainThread: Bool { Scheduler.main.isCurrent }

  /// The main loop is inside a run.
  package static var isRunning: Bool { loop?.isRunning == true }

  /// - Returns: whether the main loop was not embedded before.
  package static func begin(in new: any EventLoop) -> Bool {
    guard SystemLoop.host.withLock({ $0 == nil }) else { return false }
    SystemLoop.host.withLock { $0 = new }
    // With this lock, what is sent earlier is there for the first pass, and what is sent later wakes the event loop.
    Scheduler.main.attachment.withLock { _ in loop?.isEmbedded.store(true, ordering: .releasing) }
    Scheduler.main.changesWakeHost = true
    new.wakeUp()
    return true
  }

  /// The event loop is not called any more once this has returned.
  package static func end() {
    loop?.isEmbedded.store(false, ordering: .relaxed)
    SystemLoop.host.withLock { $0 = nil }
  }

  /// Runs a pass in the default mode.
  package static func runPass() { Scheduler.main.runPass(in: .default, as: .sliced) }

  /// Looks at what has changed outside passes.
  package static func prepareToSleep() {
    Scheduler.main.lookAnew()  // may release what would otherwise need a pass
    loop?.prepareHost(Scheduler.main)
  }
}

extension SystemLoop {
  /// Behind a lock, so that nobody wakes it while it ends.
  static let host = Locked<(any EventLoop)?>(nil)

  /// Wakes the event loop, unless this is called inside a pass, whose end looks at what is left.
  func wakeHost() {
    if Scheduler.main.isCurrent, !Scheduler.main.changesWakeHost { return }
    Self.host.withLock { $0?.wakeUp() }
  }

  /// The last look before the event loop sleeps: wakes it if a pass has work, and tells it when a pass will have work.
  /// What changes later wakes it.
  ///
  /// - Parameter isAfterPass: a pass has just served what was ready.
  func prepareHost(_ scheduler: Scheduler, isAfterPass: Bool = false) {
    scheduler.changesWakeHost = true
    let now = TaskClock.uptime
    let alarm = min(
      scheduler.clock.uptime(of: scheduler.earliestAlarm(in: .default)), uptimeOfTimer(from: now, isAfterPass))
    let hasWork =
      alarm <= now || !scheduler.garbage.isEmpty || scheduler.hasTasksInLine(.all, in: .default)
      || scheduler.signalSources(in: .default)
    Self.host.withLock { if hasWork { $0?.wakeUp() } else { $0?.setAlarm(at: alarm) } }
  }

  /// When the earliest timer of the default mode is due.
  ///
  /// One that is due for the first time is tried at once. If it is still due after a pass, it could not fire there, as
  /// in a pass that is nested in its own callout, and is tried again 0.1 s later.
  private func uptimeOfTimer(from now: Int64, _ isAfterPass: Bool) -> Int64 {
    let date = nextTimer(in: .default)
    guard date != 0 else { return .max }
    let seconds = date - CFAbsoluteTimeGetCurrent()
    guard seconds <= 0 else { return now + Int64((min(seconds, 1e9) * 1e9).rounded(.up)) }
    let isKnown = date == dueTimer.date
    if isAfterPass { dueTimer = (date, isKnown ? now + Scheduler.backOff : now) }
    return isKnown ? dueTimer.retry : now
  }
}
