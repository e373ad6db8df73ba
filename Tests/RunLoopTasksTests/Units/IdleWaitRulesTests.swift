import Testing

@testable import RunLoopTasks

/// When a wait of idle tasks ends, and when it needs the callback. `IdleWaitTests` has what comes of it.
@Suite struct IdleWaitRulesTests {
  private var wait = IdleWait()

  init() {
    wait.begin(at: 0)
    wait.note(.entry, in: nil, at: 0)
  }

  @Test mutating func aWaitNeedsOneCallBackAndEndsInTheThirdPollSince() {
    #expect(wait.needsCallBack(at: .entry))
    wait.noteCallBack()
    for isOnAfterwards in [true, true, false] {
      #expect(!wait.needsCallBack(at: .entry))
      wait.note(.exit, in: nil, at: 0)
      #expect(wait.isOn == isOnAfterwards)
      wait.note(.entry, in: nil, at: 0)
    }
  }

  @Test mutating func aRunThatSleepsNeedsOneCallBackOfItsOwn() {
    wait.noteCallBack()
    #expect(!wait.needsCallBack(at: .beforeWaiting))
    wait.note(.entry, in: nil, at: 0)
    #expect(wait.needsCallBack(at: .beforeWaiting))
    wait.note(.beforeWaiting, in: nil, at: 0)
    #expect(wait.isOn)
  }
}
