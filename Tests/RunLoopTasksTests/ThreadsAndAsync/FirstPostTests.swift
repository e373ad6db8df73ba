import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Another thread schedules the first task of a mode while the loop enters and leaves runs of the mode.
@Suite(.onOwnLoop) struct FirstPostTests {
  @Test func noRunIsTakenToBeStillInProgress() {
    let (queue, rounds) = (RunLoop.current.taskQueue, 150)
    let (mayPost, posted) = (DispatchSemaphore(value: 0), Counter())
    let mode = { @Sendable (number: Int) in RunLoop.Mode("mode \(number)") }
    Thread {
      for number in 1...rounds {
        mayPost.wait()
        for _ in 0..<number % 200 { _ = queue.count }  // any moment of the run
        queue.perform(forModes: [mode(number)]) {}
        posted.count()
      }
    }.start()
    for number in 1...rounds {
      keepAlive(mode(number))
      RunLoop.current.runUntilTasksFinish(mode: mode(number))
      mayPost.signal()
      while posted.value < number { CFRunLoopRunInMode(mode(number).cf, 0, false) }
      CFRunLoopRunInMode(mode(number).cf, 0, false)
      #expect(Scheduler.current.runs.depth == 0)
      queue.cancelAll()
    }
  }
}
