import Foundation
import RunLoopTasks
import Testing

/// What of an actor may schedule on the current thread's loop. What may not is one of the `MisuseTests`.
@Suite(.onOwnLoop) struct IsolationTests {
  @Test func codeOfNoActorMay() {
    let log = Log()
    RunLoop.current.perform { log("chained") }.when(.idle)
    RunLoop.current.perform(when: .idle) { log("in one call") }
    RunLoop.current.runPass()
    #expect(log.events == ["chained", "in one call"])
  }

  @Test func theMainActorMay() async {
    #expect(await MainActorsCode().schedule().allSatisfy { $0.cancel() })
  }

  @Test func anActorOfTheMainActorsExecutorMay() async {
    #expect(await MainActorsGuest().schedule().allSatisfy { $0.cancel() })
  }

  @Test func anActorOnAThreadMay() async {
    let actor = ThreadActor()
    #expect(await actor.countTwice() == 2)
  }
}

@MainActor private final class MainActorsCode {
  private var n = 0

  func schedule() -> [RunLoopTask] {
    [
      RunLoop.current.perform { self.n += 1 }.when(.idle).after(.seconds(9)),
      RunLoop.current.perform(when: .idle, after: .seconds(9)) { self.n += 1 },
    ]
  }
}

private actor MainActorsGuest {
  private var n = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { MainActor.sharedUnownedExecutor }

  func schedule() -> [RunLoopTask] {
    [
      RunLoop.current.perform { self.n += 1 }.when(.idle).after(.seconds(9)),
      RunLoop.current.perform(when: .idle, after: .seconds(9)) { self.n += 1 },
    ]
  }
}

extension ThreadActor {
  fileprivate func countTwice() -> Int {
    RunLoop.current.perform { self.calls += 1 }.when(.idle)
    RunLoop.current.perform(when: .idle) { self.calls += 1 }
    RunLoop.current.runPass()
    return calls
  }
}
