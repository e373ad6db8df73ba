import Testing

@testable import RunLoopTasks

/// The table in which the rules of waking are stated, row by row.
@Suite struct RunStackTests {
  private var runs = RunStack()

  private static let full = RunStack.Work(isAttached: true, canRun: true)
  private static let attached = RunStack.Work(isAttached: true)

  // MARK: What is attached

  @Test mutating func theAttachedModesAreCounted() {
    for _ in 0..<3 { runs.addMode() }
    #expect(runs.isNothingAttached && !runs.isAttached(.custom))
    for _ in 0..<2 { runs.setAttached(.custom, true) }
    #expect(runs.isAttached(.custom) && !runs.isAttached(.default) && !runs.isNothingAttached)
    runs.setAttached(.default, false)
    #expect(!runs.isNothingAttached)
    runs.setAttached(.custom, false)
    #expect(runs.isNothingAttached)
  }

  // MARK: Entry, and any other activity

  @Test mutating func anEntryPushesTheRunAndIsNotAboutToSleep() {
    #expect(runs.depth == 0 && runs.innermost == nil)
    runs.enter(.custom)
    _ = runs.check(Self.attached)
    #expect(runs.isAboutToSleep)
    runs.enter(.custom)
    #expect(!runs.isAboutToSleep && runs.depth == 2 && runs.innermost == .custom)
  }

  @Test mutating func anActivityOfARunThatNobodyHasSeenBeginPushesItOnce() {
    for mode in [ModeID.custom, .custom, .other] { runs.noteActivity(in: mode) }
    #expect(runs.depth == 2 && runs.innermost == .other)
  }

  // MARK: The last check

  @Test(arguments: [
    (RunStack.Work(), RunStack.Waking.none), (RunStack.Work(canRun: true, hasIdleTask: true, onlyWaits: true), .none),
    (attached, .wakeUp), (full, .wakeUp), (RunStack.Work(isAttached: true, hasIdleTask: true), .wakeUp),
    (RunStack.Work(isAttached: true, onlyWaits: true), .atAlarm),
  ])
  mutating func theLastCheckWakesIfTheModeIsAttached(work: RunStack.Work, waking: RunStack.Waking) {
    runs.enter(.custom)
    #expect(runs.check(work) == waking && runs.isAboutToSleep)
  }

  @Test mutating func theLoopMakesOneMoreTurnAfterATaskBeforeItSleepsUntilAnAlarm() {
    let waiting = RunStack.Work(isAttached: true, onlyWaits: true)
    runs.enter(.custom)
    for _ in 0..<20 {
      runs.noteTask(in: 0, isIdle: false)
      #expect(runs.check(waiting) == .wakeUp)
      for _ in 0..<2 {
        runs.beginTurn(wokenEarly: false)
        #expect(runs.check(waiting) == .atAlarm)
      }
    }
  }

  @Test mutating func theLastCheckWakesAgainWhateverWasGivenBefore() {
    runs.enter(.custom)
    for _ in 0..<20 { #expect(runs.check(Self.full) == .wakeUp) }
  }

  @Test mutating func aBatchThatWasCutShortGoesOnByATimer() {
    runs.enter(.custom)
    runs.noteCut(in: 0)
    #expect(runs.check(Self.full) == .due)
    runs.beginTurn(wokenEarly: false)
    #expect(runs.check(Self.full) == .wakeUp)
  }

  @Test mutating func inANestedRunATimerWouldNotDoForABatchThatWasCutShort() {
    runs.enter(.custom)
    runs.enter(.other)
    runs.noteCut(in: 1)
    #expect(runs.check(Self.full) == .wakeUp)
  }

  @Test mutating func norWhereTheRunMayBeNested() {
    runs.enter(.custom)
    runs.noteFirstObserved(.other)
    runs.noteCut(in: 0)
    #expect(runs.check(Self.full) == .wakeUp)
  }

  // MARK: The back-off

  /// Lets fruitless turns begin.
  ///
  /// - Returns: how each of their sleeps ends.
  private mutating func turns(_ count: Int, _ work: RunStack.Work = attached) -> [RunStack.Waking] {
    (0..<count).map { _ in
      defer { runs.beginTurn(wokenEarly: false) }
      return runs.check(work)
    }
  }

  @Test mutating func aFewFruitlessTurnsMakeTheRunTired() {
    runs.enter(.custom)
    #expect(turns(4) == [.wakeUp, .wakeUp, .wakeUp, .wakeUp] && !runs.isTired)
    #expect(turns(3) == [.later, .later, .later] && runs.isTired)
  }

  @Test mutating func aTaskThatCanRunEndsTheBackOff() {
    runs.enter(.custom)
    _ = turns(6)
    #expect(turns(2, Self.full) == [.wakeUp, .wakeUp] && !runs.isTired)
    #expect(turns(5) == [.wakeUp, .wakeUp, .wakeUp, .wakeUp, .later])
  }

  @Test mutating func soDoesSomethingElseThatWakesTheLoop() {
    runs.enter(.custom)
    _ = turns(6)
    runs.beginTurn(wokenEarly: true)
    #expect(!runs.isTired)
    #expect(turns(1) == [.wakeUp])
  }

  @Test mutating func soDoesAMessageForAllRuns() {
    runs.enter(.custom)
    _ = turns(6)
    runs.enter(.other)
    _ = turns(6)
    runs.noteMessages()
    #expect(!runs.isTired)
    _ = runs.leave(isCommon: false)
    #expect(!runs.isTired)
    #expect(turns(1) == [.wakeUp])
  }

  @Test mutating func soDoesASleepInAModeThatIsNotAttached() {
    runs.enter(.custom)
    _ = turns(6)
    #expect(turns(1, .init()) == [.none] && !runs.isTired)
  }

  @Test(arguments: [(false, false, true), (true, false, false), (true, true, true)])
  mutating func anIdleTaskIsWorkUnlessOthersHaveRunInItsTurn(hasRunOther: Bool, hasRunIdle: Bool, isWork: Bool) {
    runs.enter(.custom)
    for _ in 0..<6 {
      runs.beginTurn(wokenEarly: false)
      if hasRunOther { runs.noteTask(in: 0, isIdle: false) }
      if hasRunIdle { runs.noteTask(in: 0, isIdle: true) }
      _ = runs.check(.init(isAttached: true, hasIdleTask: true))
    }
    #expect(runs.isTired != isWork)
  }

  // MARK: A turn

  @Test mutating func aTurnIsNotAboutToSleepAndIdleUntilATaskRuns() {
    runs.enter(.custom)
    _ = runs.check(Self.full)
    runs.noteTask(in: 0, isIdle: true)
    #expect(!runs.isIdle)
    runs.noteWaking()
    runs.beginTurn(wokenEarly: false)
    #expect(!runs.isAboutToSleep && runs.isIdle)
  }

  @Test mutating func aTaskCountsForTheRunWhoseBatchItIsIn() {
    runs.enter(.custom)
    runs.enter(.other)
    runs.noteTask(in: 0, isIdle: false)
    #expect(runs.isIdle)
    _ = runs.leave(isCommon: false)
    #expect(!runs.isIdle)
  }
}
