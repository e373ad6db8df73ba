import Foundation

@testable import RunLoopTasks

// What a few tests see of the inside of the library.

/// The time of the task clock of the current thread's loop.
func taskTime() -> Duration { .nanoseconds(Scheduler.current.clock.now) }

/// Stops the task clock of the current thread's loop during `body`, so that the machine's speed does not matter.
func atOneMoment(_ body: () -> Void) {
  let scheduler = Scheduler.current
  scheduler.clock.freeze(at: scheduler.clock.now)
  body()
  scheduler.clock.resume()
}

/// Lets time pass on the task clock of the current thread's loop, which does not read what other threads send.
func keepBusy(for duration: Duration) {
  let scheduler = Scheduler.current
  scheduler.clock.freeze(at: scheduler.clock.date(after: duration))
  scheduler.clock.resume()
}

/// A weak reference that shows whether a loop's engine was released.
struct WeakScheduler: Sendable {
  weak let scheduler: Scheduler?
  init(_ scheduler: Scheduler) { self.scheduler = scheduler }
}
