import Foundation

@testable import RunLoopTasks

// What a few tests see of the inside of the library.

/// The time of the task clock of the current thread's loop.
func taskTime() -> Duration { .nanoseconds(Scheduler.current.clock.now) }

/// The clock of the current thread's loop for a test that only reads it. Once the package has handed one out, `advance`
/// waits for the code that may sleep on it.
func clockToRead() -> RunLoopClock { RunLoopClock(queue: RunLoop.current.taskQueue) }

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

/// A weak reference that shows whether a loop's engine was released.
struct WeakScheduler: Sendable {
  private weak let scheduler: Scheduler?
  var isReleased: Bool { scheduler == nil }

  /// That of the current thread's loop.
  static var current: WeakScheduler { WeakScheduler(scheduler: .current) }
}
