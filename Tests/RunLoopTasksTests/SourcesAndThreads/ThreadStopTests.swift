import Foundation
import RunLoopTasks
import Testing

/// The end of a `RunLoopThread` by `stop`. Its drain has tests of its own, and the release of the last reference
/// too.
@Suite(.onOwnLoop) struct ThreadStopTests {
  let thread = RunLoopThread(name: "worker")
  let log = Log()

  @Test func aTaskIsToldThatTheThreadIsStopping() {
    let (hasBegun, mayLook) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    thread.taskQueue.perform {
      log("\(thread.isStopping)")
      hasBegun.signal()
      mayLook.waitOrDie("the stop")
      log("\(thread.isStopping)")
    }
    hasBegun.waitOrDie("the task")
    #expect(!thread.isStopping)
    thread.stop()
    #expect(thread.isStopping)
    mayLook.signal()
    join(thread)
    #expect(thread.isStopping)
    #expect(log.events == ["false", "true"])
  }

  /// The drain does not serve it.
  @Test func thePassUnderWayServesASourceOfOtherCode() {
    thread.taskQueue.perform {
      let source = Source { log("served") }
      Thread.current.threadDictionary["source"] = source
      source.signal()
      thread.stop()
    }
    join(thread)
    #expect(log.events == ["served"])
  }

  @Test func stopDoesNotInterruptANestedRun() {
    thread.taskQueue.perform {
      thread.stop()
      RunLoop.current.perform {
        RunLoop.current.perform { log.andStop("second pass of the nested run") }.when(.nextLoopBegan)
      }.when(.nextLoopBegan)
      run()
      log("nested run ended")
    }
    join(thread)
    #expect(log.events == ["second pass of the nested run", "nested run ended"])
  }
}
