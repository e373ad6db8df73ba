import Testing

@testable import RunLoopTasks

/// The same table: what is made due, at an exit and when a mode is attached.
@Suite struct RunStackExitTests {
  private var runs = RunStack()

  // MARK: Exit

  @Test mutating func anExitMakesTheModeOfTheRunAroundItDue() {
    runs.enter(.custom)
    runs.enter(.other)
    #expect(leave() == [.custom])
    #expect(runs.isAboutToSleep && runs.innermost == .custom)
  }

  @Test mutating func anExitOfTheOutermostRunMakesNothingDue() {
    runs.enter(.custom)
    #expect(leave() == [])
    #expect(runs.depth == 0 && runs.isAboutToSleep)
  }

  /// A run may be under way that nobody has seen begin, and runs nested in it may use up what is to wake it.
  @Test mutating func aModeFirstObservedInsideIsMadeDueAtAllExitsUpToTheSecondOfItsOwn() {
    runs.noteFirstObserved(.other)
    #expect(runs.mustKnowCommonModes)
    let left: [ModeID] = [.custom, .other, .custom, .other, .custom, .other]
    let due = left.map { mode in
      runs.enter(mode)
      return leave()
    }
    #expect(due == [[.other], [.other], [.other], [.other], [], []])
    #expect(!runs.mustKnowCommonModes)
  }

  @Test mutating func theCommonModesAreMadeDueUpToTheSecondExitOfACommonMode() {
    runs.noteFirstObserved(.common)
    let due = [false, true, false, true, true].map { isCommon in
      runs.enter(.custom)
      return runs.leave(isCommon: isCommon)
    }
    #expect(due == [[.common], [.common], [.common], [.common], []])
  }

  @Test(arguments: [(false, [ModeID.custom]), (true, [.custom, .common])])
  mutating func aRunThatNobodyHasSeenBeginLeavesItsModesDue(isCommon: Bool, due: [ModeID]) {
    runs.noteActivity(in: .custom)
    #expect(runs.mustKnowCommonModes)
    let modes = runs.leave(isCommon: isCommon)
    #expect(modes == due)
    #expect(!runs.mustKnowCommonModes)
  }

  @Test mutating func aModeSeenAgainIsCountedAnew() {
    runs.noteFirstObserved(.custom)
    let due = (0..<4).map { number in
      runs.enter(.custom)
      if number == 1 { runs.noteFirstObserved(.custom) }
      return leave()
    }
    #expect(due == [[.custom], [.custom], [.custom], []])
  }

  @Test mutating func noModeIsNamedTwice() {
    runs.enter(.custom)
    runs.enter(.other)
    for mode in [ModeID.custom, .common, .custom] { runs.noteFirstObserved(mode) }
    #expect(leave() == [.common, .custom])
  }

  @Test mutating func whatIsAttachedOutsideRunsShowsThatNoneIsLeft() {
    runs.noteFirstObserved(.custom)
    let mustWake = runs.noteIncomingTask(for: .custom, current: nil, isServed: false, wasAttached: true, isNew: false)
    #expect(!mustWake)
    runs.enter(.custom)
    #expect(leave() == [])
  }

  private mutating func leave() -> [ModeID] { runs.leave(isCommon: false) }

  // MARK: Attaching

  struct Attaching: CustomStringConvertible {
    var description: String
    var current: ModeID? = .custom
    var isServed = true
    var wasAttached = false
    var isNew = false
    var isAboutToSleep = false
    var beganUnobserved = false
    let mustWake: Bool

    static let all = [
      Attaching(description: "outside runs", current: nil, isNew: true, isAboutToSleep: true, mustWake: false),
      Attaching(description: "in a run that sees it before it sleeps", mustWake: false),
      Attaching(description: "after the last check", isAboutToSleep: true, mustWake: true),
      Attaching(description: "after the last check, attached", wasAttached: true, isAboutToSleep: true, mustWake: true),
      Attaching(description: "a mode not observed until now", isNew: true, mustWake: true),
      Attaching(description: "in a run not observed until now", beganUnobserved: true, mustWake: true),
      Attaching(description: "in a run of another mode", isServed: false, mustWake: true),
      Attaching(description: "in a run of another mode, attached", isServed: false, wasAttached: true, mustWake: false),
      Attaching(description: "in an unseen run, attached", wasAttached: true, beganUnobserved: true, mustWake: false),
    ]
  }

  @Test(arguments: Attaching.all)
  mutating func attachingWakesWhereTheLoopWouldNotLookAgain(row: Attaching) {
    runs.enter(row.beganUnobserved ? .default : .custom)
    if row.isAboutToSleep { _ = runs.check(.init()) }
    let mode: ModeID = row.isServed ? .custom : .other
    let mustWake = runs.noteIncomingTask(
      for:
        mode, current: row.current, isServed: row.isServed, wasAttached: row.wasAttached, isNew: row.isNew)
    #expect(mustWake == row.mustWake)
    // Whatever it was, it has been seen to.
    #expect(!runs.isAboutToSleep)
  }

  @Test(arguments: [true, false]) mutating func aModeAttachedInAnUnseenRunThatItServesIsMadeDueAtExits(isServed: Bool) {
    _ = runs.noteIncomingTask(for: .common, current: .custom, isServed: isServed, wasAttached: false, isNew: false)
    runs.enter(.custom)
    #expect(runs.leave(isCommon: true) == (isServed ? [.common] : []))
  }

  private mutating func wakesWhenATaskComesIn() -> Bool {
    runs.noteIncomingTask(for: .custom, current: .custom, isServed: true, wasAttached: true, isNew: false)
  }

  @Test mutating func whatComesInAfterAnExitWakes() {
    runs.enter(.custom)
    runs.enter(.other)
    _ = leave()
    #expect(wakesWhenATaskComesIn())
    #expect(!wakesWhenATaskComesIn())
  }

  @Test mutating func aNewCommonModeWakesAndIsMadeDueAtTheNextExit() {
    runs.enter(.custom)
    runs.noteNewCommonMode()
    #expect(runs.isAboutToSleep)
    #expect(wakesWhenATaskComesIn())
    #expect(leave() == [.common])
  }
}
