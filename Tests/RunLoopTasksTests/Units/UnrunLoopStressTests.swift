import Foundation
import Synchronization
import Testing

@testable import RunLoopTasks

/// Steps of other threads, while tasks come and go outside runs.
@Suite(.onOwnLoop) struct UnrunLoopStressTests {
  private struct Weak { weak var task: RunLoopTask? }

  @Test func noTaskIsKeptOrReleasedTwice() {
    let (scheduler, queue) = (Scheduler.current, RunLoop.current.taskQueue)
    let isOver = Locked(false)
    let steppers = (1...2).map { _ in
      JoinableThread { while !isOver.withLock({ $0 }) { scheduler.unrunLoop.endStep(of: scheduler) } }
    }
    let poster = JoinableThread { while !isOver.withLock({ $0 }) { queue.perform {}.cancel() } }
    var tasks: [Weak] = []
    for number in 1...5_000 {
      scheduler.unrunLoop.noteActivity()
      let task = RunLoop.current.perform(when: .idle) {}
      tasks.append(Weak(task: task))
      switch number % 4 {
      case 0: task.cancel()
      case 1: task.runNow()
      case 2: task.after(.seconds(3_000)).cancel()
      default: RunLoop.current.runPass()
      }
    }
    isOver.withLock { $0 = true }
    for thread in steppers + [poster] { thread.join() }
    RunLoop.current.runPass()
    scheduler.unrunLoop.endStep(of: scheduler)
    #expect(tasks.count { $0.task != nil } == 0 && queue.count == 0)
  }

  #if os(macOS) || os(Linux)  // Other platforms have no exit tests.
    @Test func theNextTaskOfALoopIsNotTold() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        onLoopThread {
          let scheduler = Scheduler.current
          for _ in 1...2 {
            RunLoop.current.perform {}.when(.idle)
            for _ in 1...5 { scheduler.unrunLoop.endStep(of: scheduler) }
          }
        }
        exit(0)
      }
      let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(error.split(separator: "\n").count { $0.hasPrefix("RunLoopTasks:") } == 1, "\(error)")
    }

    /// As if another thread had noted the task, and were to send it only now.
    @Test func aTaskThatIsSentAsTheLoopEndsIsNotTold() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let task = onLoopThread {
          let scheduler = Scheduler.current
          let task = RunLoopTask(scheduler, fileID: #fileID, line: #line) {}
          task.beginPending()
          scheduler.unrunLoop.noteScheduled(task)
          scheduler.end()
          return task
        }
        exit(task.isStillPending ? 0 : 1)
      }
      let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(!error.contains("RunLoopTasks:"), "\(error)")
    }
  #endif
}
