import Foundation

@testable import RunLoopTasks

// What a few tests see of the inside of the library.

/// The time of the task clock of the current thread's loop.
func taskTime() -> Duration { .nanoseconds(Scheduler.current.clock.now) }

/// Stops the task clock of the current thread's loop during `body`, so that the machine's speed does not matter.
func atOneMoment(_ body: () -> Void) {
  stopClock()
  body()
  letClockRun()
}

/// Stops the task clock of the current thread's loop at a later date, for all runs, until `letClockRun`.
func stopClock(after duration: Duration = .zero) {
  let scheduler = Scheduler.current
  let date = scheduler.date(after: duration)
  scheduler.changeClock { $0.freeze(at: date) }
}

func letClockRun() { Scheduler.current.changeClock { $0.resume() } }

/// Lets time pass on the task clock of the current thread's loop, which does not read what other threads send.
func keepBusy(for duration: Duration) {
  stopClock(after: duration)
  letClockRun()
}

/// Advances the current thread's loop, unless an earlier call has given up the threads that async code shares.
func advance(by duration: Duration) {
  guard !hasGivenUp() else { return }
  let start = ContinuousClock.now
  RunLoop.current.advance(by: duration)
  if .now - start >= .seconds(0.5) { Thread.current.threadDictionary["isSlow"] = true }
}

/// Whether the latest `advance(by:)` of the current thread's loop has given up the threads that async code shares.
func hasGivenUp() -> Bool { Scheduler.current.hasWaitedInVain || Thread.current.threadDictionary["isSlow"] != nil }

/// A weak reference that shows whether a loop's engine was released.
struct WeakScheduler: Sendable {
  private weak let scheduler: Scheduler?
  var isReleased: Bool { scheduler == nil }

  /// That of the current thread's loop.
  static var current: WeakScheduler { WeakScheduler(scheduler: .current) }
}
