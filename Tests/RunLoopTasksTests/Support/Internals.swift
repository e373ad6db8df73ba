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

extension TaskClock {
  /// Lets the clock show `date` in all runs, until it is told otherwise.
  func freeze(at date: Int64) { freeze(at: date, depth: .max) }
}

/// A weak reference that shows whether a loop's engine was released.
struct WeakScheduler: Sendable {
  weak let scheduler: Scheduler?
  init(_ scheduler: Scheduler) { self.scheduler = scheduler }
}
