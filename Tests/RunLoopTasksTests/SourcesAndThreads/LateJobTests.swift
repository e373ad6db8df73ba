import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// Jobs of a `RunLoopThread` whose loop has ended. No task, timer or source runs any more.
@Suite struct LateJobTests {
  private let log = Log()

  @Test(arguments: [RunLoop.Mode.default, .custom]) func aRunInALateJobServesNothing(mode: RunLoop.Mode) async {
    let actor = ThreadActor()
    await actor.call { addTimer(after: 3_000, in: mode) { log("old timer") } }  // The loop has the mode.
    actor.thread.stop()
    await actor.thread.join()
    await actor.call {
      RunLoop.current.perform { log("task") }.when(.currentLoopEnded).forModes(mode)
      addTimer(in: mode) { log("timer") }
      addSource(in: mode) { _, _ in log("package's source") }.send(0)
      let source = Source(in: mode) { log("source") }
      source.signal()
      performBlock(in: mode) { log("block") }
      run(mode)
      _ = RunLoop.current.run(mode: mode, before: .distantFuture)
      RunLoop.current.runPass(mode: mode)
      #expect(RunLoop.current.runUntilTasksFinish(mode: mode, timeout: .zero))
      withExtendedLifetime(source) { log("returned") }
    }
    #expect(log.events == ["returned"])
  }

  /// The first job makes the mode, and the next one finds it closed. Optimized code makes two calls in a row in one
  /// job, so the first has a `Task` of its own.
  @Test func aModeThatALateJobMakesIsClosedBeforeTheNext() async {
    let actor = await ThreadActor.make(isLate: true)
    await Task.detached { await actor.call { addTimer(after: 3_000, in: .custom) } }.value
    await actor.call {
      addTimer(in: .custom) { log("timer") }
      run(.custom)
    }
    #expect(log.events == [])
  }

  @Test func aLateJobMayWaitForACondition() async {
    let actor = await ThreadActor.make(isLate: true)
    let isDone = Box(false)
    await actor.call {
      var calls = 0
      let holds = RunLoop.current.runUntil(timeout: .milliseconds(50)) {
        calls += 1
        return false
      }
      #expect(!holds && calls < 500)  // It is looked at every millisecond, and not all the time.
      DispatchQueue.global().async { isDone.value = true }
      RunLoop.current.runUntil { isDone.value }
    }
  }

  @Test func anObservationThatBeginsInALateJobIsNotValid() async {
    let actor = await ThreadActor.make(isLate: true)
    await actor.call {
      let released = Counter()
      let token = Token { released.count() }
      let observer = RunLoop.current.observe(.all) { _ in token.use() }
      #expect(!observer.isValid)
      observer.invalidate()
    }
  }
}

extension ThreadActor {
  fileprivate func call(_ body: @Sendable () -> Void) {
    calls += 1
    body()
  }
}
