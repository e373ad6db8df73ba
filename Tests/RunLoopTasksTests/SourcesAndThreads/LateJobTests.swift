import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// Jobs of a `RunLoopThread` whose loop has ended. No task, timer or source runs any more.
@Suite(.onOwnLoop) struct LateJobTests {
  private let log = Log()

  @Test func noTaskRunsInALateJob() async {
    let actor = await ThreadActor.make(isLate: true)
    await actor.call {
      let task = RunLoop.current.perform { log("task") }.when(.currentLoopEnded)
      #expect(task.state == .cancelled && !RunLoop.current.runPass())
      #expect(RunLoop.current.runUntilTasksFinish(timeout: .zero))
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
