import Foundation
import RunLoopTasks
import Testing

/// The state of a delayed task, and the runs of its loop, until the delay ends.
@Suite(.onOwnLoop) struct WaitingTests {
  let log = Log()

  /// Without the forms of other threads, as a `Thread` may hold its closure for a moment.
  @Test(arguments: [Form.chain, .arguments, .queue])
  func aDelayedTaskCanBeCancelledAndIsReleasedAtOnce(_ form: Form) {
    let task: RunLoopTask = {
      let token = Token { log("released") }
      return form.perform(after: .seconds(3_000)) { token.use() }
    }()
    RunLoop.current.runPass()
    log("\(task.cancel()) \(task.cancel())")
    #expect(RunLoop.current.taskQueue.count == 0)
    RunLoop.current.advance(by: .seconds(4_000))
    run()
    #expect(log.events == ["released", "true false"])
  }

  @Test func cancelAllAndTheEndOfTheLoopCancelDelayedTasks() {
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
  func aDelayedTaskKeepsRunsOfItsModesAlive(mode: RunLoop.Mode) {
    RunLoop.current.perform { log("task") }.after(.milliseconds(5)).forModes(mode)
    let runMode = mode == .common ? .default : mode
    log("\(RunLoop.current.run(mode: runMode, before: .distantFuture))")
    log("\(RunLoop.current.run(mode: runMode, before: .distantFuture))")
    #expect(log.events == ["task", "true", "false"])
  }
}
