import Foundation
import RunLoopTasks
import RunLoopVirtualTime

/// What waits on the task clock of the main loop.
enum Waiting: String, CaseIterable {
  case tasks = "tasks", sleeps = "sleeps of the main actor", genericSleeps = "sleeps of any Clock"
}

/// How many dates `advance(by:)` comes to in a second of real time, in one call, with one of these for each second of
/// its time.
func datesPerSecond(_ waiting: Waiting, of dates: Int) -> Double {
  let (loop, clock) = (RunLoop.main, RunLoopTaskQueue.main.clock)
  switch waiting {
  case .tasks:
    for second in 1...dates { loop.perform { Work.shared.run(left: 1) }.after(.seconds(second)) }
  case .sleeps, .genericSleeps:
    Task { @MainActor in
      for _ in 1...dates {
        if waiting == .sleeps {
          try await clock.sleep(for: .seconds(1))
        } else {
          try await (clock as any Clock<Duration>).sleep(for: .seconds(1))
        }
        Work.shared.run(left: 1)
      }
    }
  }
  let time = Work.shared.expect(dates) {
    ContinuousClock().measure { loop.advance(by: .seconds(dates) + .milliseconds(500)) }
  }
  return Double(dates) / (time / .seconds(1))
}
