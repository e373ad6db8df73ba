import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Another thread schedules the first task of a mode while the loop enters and leaves runs of the mode.
@Suite(.onOwnLoop) struct FirstPostTests {
  @Test func noRunIsTakenToBeStillInProgress() {
    let wrong = onLoopThread { () -> Int? in
      let queue = RunLoop.current.taskQueue
      let count = 150
      let (next, posted) = (Box(-1), Box(-1))
      let mode = { @Sendable (index: Int) in RunLoop.Mode("mode \(index)") }
      Thread {
        for index in 0..<count {
          while next.value < index { sched_yield() }
          for _ in 0..<index % 200 { _ = queue.count }  // any moment of the run
          queue.perform(forModes: [mode(index)]) {}
          posted.value = index
        }
      }.start()
      for index in 0..<count {
        keepAlive(mode(index))
        RunLoop.current.runUntilTasksFinish(mode: mode(index))
        next.value = index
        while posted.value < index { CFRunLoopRunInMode(mode(index).cf, 0, false) }
        CFRunLoopRunInMode(mode(index).cf, 0, false)
        if Scheduler.current.runs.depth != 0 {
          next.value = count
          return index
        }
        queue.cancelAll()
      }
      return nil
    }
    #expect(wrong == nil)
  }
}
