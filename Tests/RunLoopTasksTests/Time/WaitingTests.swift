import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 3a: what a task is until its delay has ended, and what the loop does meanwhile.
@Suite struct WaitingTests {
  @Test(arguments: Form.allCases)
  func meanwhileItIsPendingAndCounted(_ form: Form) {
    onLoopThread {
      let queue = RunLoop.current.taskQueue
      let task = form.perform(after: .seconds(3_000)) {}
      #expect(queue.count == 1)
      RunLoop.current.runPass()
      #expect(task.state == .pending && queue.count == 1)
      RunLoop.current.advance(by: .seconds(4_000))
      #expect(task.state == .finished && queue.count == 0)
    }
  }

  @Test(arguments: Form.allCases, [true, false])
  func meanwhileItCanBeAmended(_ form: Form, onOwnThread: Bool) {
    let events = eventsOnLoopThread { log in
      logActivities(log, in: .custom)
      let task = form.perform(when: .idle, after: .seconds(3_000)) { log("task") }
      RunLoop.current.runPass()
      if onOwnThread {
        task.when(.nextLoopBegan).forModes(.custom)
      } else {
        elsewhere { task.when(.nextLoopBegan).forModes(.custom) }
      }
      RunLoop.current.advance(by: .seconds(4_000))  // in the mode that it had
      log("custom")
      RunLoop.current.runPass(mode: .custom)
    }
    #expect(events == ["custom", "entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }

  /// What another thread has scheduled, its `Thread` may hold for a moment.
  @Test(arguments: [Form.chain, .arguments, .queue])
  func meanwhileItCanBeCancelledAndIsReleasedAtOnce(_ form: Form) {
    let events = eventsOnLoopThread { log in
      let task: RunLoopTask = {
        let token = Token { log("released") }
        return form.perform(after: .seconds(3_000)) { token.use() }
      }()
      RunLoop.current.runPass()
      log("\(task.cancel()) \(task.cancel())")
      #expect(RunLoop.current.taskQueue.count == 0)
      RunLoop.current.advance(by: .seconds(4_000))
      run()  // it returns
    }
    #expect(events == ["released", "true false"])
  }

  @Test func cancelAllAndTheEndOfTheLoopConcernItToo() {
    let released = Counter()
    let tasks = onLoopThread {
      let queue = RunLoop.current.taskQueue
      func schedule() -> RunLoopTask {
        let token = Token { released.count() }
        return queue.perform(after: .seconds(3_000), within: .seconds(4_000)) { token.use() }
      }
      let first = schedule()
      RunLoop.current.runPass()
      queue.cancelAll()
      #expect(released.value == 1)
      return [first, schedule()]
    }
    waitUntil { released.value == 2 }
    #expect(tasks.map(\.state) == [.cancelled, .cancelled])
  }

  @Test(arguments: [RunLoop.Mode.default, .common, .custom])
  func itKeepsRunsOfItsModesAlive(mode: RunLoop.Mode) {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("task") }.after(.milliseconds(5)).forModes(mode)
      let runMode = mode == .common ? .default : mode
      log("\(RunLoop.current.run(mode: runMode, before: .distantFuture))")
      log("\(RunLoop.current.run(mode: runMode, before: .distantFuture))")
    }
    #expect(events == ["task", "true", "false"])
  }

  @Test func itKeepsNoRunsOfOtherModesAlive() {
    onLoopThread {
      RunLoop.current.perform {}.after(.seconds(3_000)).forModes(.custom)
      run()  // it returns
      #expect(RunLoop.current.runUntilTasksFinish(timeout: .zero))
    }
  }

  /// Only the delayed task keeps the run alive, and it goes on another thread.
  @Test func cancellingItOnAnotherThreadEndsTheRun() {
    onLoopThread {
      let task = RunLoop.current.perform {}.after(.seconds(3_000))
      let once = Counter()
      observe(.beforeWaiting, order: Order.last) { _ in
        if once.count() == 1 { elsewhere { task.cancel() } }
      }
      run()
      #expect(task.state == .cancelled)
    }
  }
}
