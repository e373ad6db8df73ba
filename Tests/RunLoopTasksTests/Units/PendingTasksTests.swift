import Testing

@testable import RunLoopTasks

@Suite struct PendingTasksTests {
  private var tasks: PendingTasks

  init() {
    tasks = PendingTasks()
    for index in UInt16(0)..<4 { #expect(tasks.addMode() == ModeID(index: index)) }
  }

  /// Takes in tasks at the date 0.
  private mutating func add(_ new: RunLoopTask...) { for task in new { tasks.add(task, at: 0) } }

  private mutating func take(
    _ lists: ListSet, _ mode: ModeID = .default, isCommon: Bool = false
  ) -> [ObjectIdentifier] {
    let batch = tasks.beginBatch()
    var taken: [ObjectIdentifier] = []
    while let task = tasks.removeFirst(in: lists, of: mode, isCommon: isCommon, batch: batch) {
      #expect(task.whereabouts == .outside)
      taken.append(ObjectIdentifier(task))
    }
    return taken
  }

  private func ids(_ tasks: RunLoopTask...) -> [ObjectIdentifier] { tasks.map(ObjectIdentifier.init) }
  private var all: [ObjectIdentifier] { tasks.allInOrder.map(ObjectIdentifier.init) }

  // MARK: Timings and modes

  @Test(arguments: RunLoopTask.Timing.allCases)
  mutating func aTaskIsInTheListOfItsTiming(timing: RunLoopTask.Timing) {
    let task = makeTask(timing)
    add(task)
    let own = List(timing).asSet
    #expect(tasks.hasTasks(in: own, of: .default) && !tasks.hasTasks(in: ListSet.all.subtracting(own), of: .default))
    #expect(take(ListSet.all.subtracting(own)) == [])
    #expect(take(own) == ids(task))
    #expect(!tasks.hasTasks(in: .all, of: .default) && !tasks.hasTasks(in: .default))
  }

  @Test mutating func aBatchOfSeveralTimingsGoesByTheOrderOfScheduling() {
    let (idle, began, ended) = (makeTask(.idle), makeTask(.nextLoopBegan), makeTask(.currentLoopEnded))
    add(idle, began, ended)
    #expect(all == ids(idle, began, ended))
    #expect(take([.idle, .currentLoopEnded, .nextLoopBegan]) == ids(idle, began, ended))
  }

  @Test mutating func aBatchHasTheTasksOfItsModeAndOfTheCommonModesIfItsIsOne() {
    let (custom, common, other) = (makeTask(modes: [.custom]), makeTask(modes: [.common]), makeTask(modes: [.other]))
    add(common, custom, other)
    #expect(take(.nextLoopBegan, .custom) == ids(custom))
    add(custom)
    #expect(take(.nextLoopBegan, .custom, isCommon: true) == ids(common, custom))
    #expect(take(.nextLoopBegan) == [])
    #expect(take(.nextLoopBegan, .other) == ids(other))
  }

  @Test(arguments: [ModeID.default, .custom, .other])
  mutating func aTaskOfSeveralModesLeavesAllOfThemAtOnce(mode: ModeID) {
    let modes = [ModeID.default, .custom, .other]
    let (one, two) = (makeTask(modes: modes), makeTask(modes: modes))
    add(one, two)
    #expect(all == ids(one, two))
    #expect(Set(tasks.all.map(ObjectIdentifier.init)) == Set(all))
    let batch = tasks.beginBatch()
    #expect(tasks.removeFirst(in: .nextLoopBegan, of: mode, isCommon: false, batch: batch) === one)
    tasks.remove(two)
    for mode in modes { #expect(!tasks.hasTasks(in: mode) && !tasks.hasTasks(in: .nextLoopBegan, of: mode)) }
  }

  // MARK: Amendments

  @Test mutating func amendmentsKeepTheMomentOfScheduling() {
    let (one, two, three) = (makeTask(.idle, modes: [.custom]), makeTask(), makeTask(.currentLoopEnded))
    add(one, two, three)
    tasks.setTiming(of: three, to: .nextLoopBegan)
    tasks.setTiming(of: one, to: .nextLoopBegan)
    tasks.setModes(of: one, to: [.default, .other])
    #expect(!tasks.hasTasks(in: .custom))
    #expect(take(.nextLoopBegan) == ids(one, two, three))
  }

  @Test mutating func anOrderPutsATaskBeforeOrBehind() {
    let (one, two, three) = (makeTask(), makeTask(order: 1), makeTask())
    add(one, two, three)
    tasks.setOrder(of: three, to: -1)
    #expect(take(.nextLoopBegan) == ids(three, one, two))
  }

  @Test mutating func aWaitingTaskMayBeAmended() {
    let task = makeTask(delayEnd: 10)
    add(task)
    tasks.setModes(of: task, to: [.custom, .other])
    tasks.setTiming(of: task, to: .idle)
    tasks.setOrder(of: task, to: 3)
    #expect(task.whereabouts == .waiting && !tasks.hasTasks(in: .default))
    #expect(tasks.hasTasks(in: .other) && !tasks.hasTasks(in: .all, of: .other))
    _ = tasks.letTimePass(until: 10)
    #expect(take(.idle, .other) == ids(task))
  }

  // MARK: Time

  @Test mutating func aTaskWaitsForItsDelayAndThenComesIntoLine() {
    let (late, early, now) = (makeTask(delayEnd: 20), makeTask(delayEnd: 10), makeTask())
    add(late, early)
    #expect(tasks.hasTasks(in: .default) && !tasks.hasTasks(in: .all, of: .default) && tasks.earliestAlarm == 10)
    #expect(all == ids(early, late))
    #expect(take(.nextLoopBegan) == [])
    add(now)
    #expect(tasks.hasTasks(in: .all, of: .default))
    _ = tasks.letTimePass(until: 9)
    #expect(early.whereabouts == .waiting)
    _ = tasks.letTimePass(until: 20)
    #expect(take(.nextLoopBegan) == ids(now, early, late) && tasks.earliestAlarm == nil)
  }

  @Test mutating func aDelayThatHasPassedIsNone() {
    let task = makeTask(delayEnd: 10)
    tasks.add(task, at: 10)
    #expect(task.isInLine && tasks.earliestAlarm == nil)
  }

  @Test mutating func aDelayIsSetAnew() {
    let (task, other) = (makeTask(), makeTask())
    add(task, other)
    tasks.setDelayEnd(of: task, to: 5, at: 10)  // none, so it keeps its place
    #expect(all == ids(task, other))
    tasks.setDelayEnd(of: task, to: 20, at: 10)
    tasks.setDelayEnd(of: task, to: 30, at: 10)
    #expect(task.whereabouts == .waiting && tasks.earliestAlarm == 30)
    tasks.setDelayEnd(of: task, to: .min, at: 10)
    #expect(all == ids(other, task) && tasks.earliestAlarm == nil && tasks.hasTasks(in: .all, of: .default))
  }

  @Test mutating func aTaskWaitsForItsDelayAndForTheIntervalOfItsKey() {
    let task = makeTask(delayEnd: 20)
    add(task)
    tasks.setIntervalEnd(of: task, to: 10, at: 0)
    #expect(tasks.earliestAlarm == 20)
    tasks.setIntervalEnd(of: task, to: 30, at: 0)
    _ = tasks.letTimePass(until: 29)
    #expect(task.whereabouts == .waiting && tasks.earliestAlarm == 30)
    tasks.setIntervalEnd(of: task, to: .min, at: 29)
    #expect(task.isInLine && tasks.earliestAlarm == nil)
  }

  @Test mutating func aTaskWhoseLimitHasPassedIsOverdueInItsPlace() {
    let (idle, began) = (makeTask(.idle, limitEnd: 10), makeTask())
    add(idle, began)
    _ = tasks.letTimePass(until: 9)
    #expect(tasks.earliestAlarm == 10 && !idle.isOverdue)
    _ = tasks.letTimePass(until: 10)
    #expect(idle.isOverdue && !tasks.hasTasks(in: .idle, of: .default) && tasks.earliestAlarm == nil)
    #expect(take([.nextLoopBegan, .overdue]) == ids(idle, began))
  }

  @Test mutating func aLimitEndsADelayAndMayBeSetAnew() {
    let (task, other) = (makeTask(.idle, delayEnd: 20, limitEnd: 10), makeTask(.idle))
    add(task)
    _ = tasks.letTimePass(until: 10)
    #expect(task.isOverdue && task.hasPlace && tasks.earliestAlarm == nil)
    add(other)
    tasks.setLimitEnd(of: task, to: 30, at: 10)
    #expect(!task.isOverdue && all == ids(task, other))
    #expect(tasks.hasTasks(in: .idle, of: .default) && tasks.earliestAlarm == 30)
    tasks.setLimitEnd(of: task, to: 15, at: 20)
    #expect(take(.overdue) == ids(task) && tasks.earliestAlarm == nil)
  }

  @Test mutating func aLimitEndsAnIntervalUntilItIsPutOff() {
    let task = makeTask(.idle, limitEnd: 10)
    add(task)
    tasks.setIntervalEnd(of: task, to: 20, at: 0)
    #expect(task.whereabouts == .waiting)
    _ = tasks.letTimePass(until: 10)
    #expect(task.isOverdue && task.isInLine)
    tasks.setLimitEnd(of: task, to: 30, at: 10)
    #expect(!task.isOverdue && task.whereabouts == .waiting && tasks.earliestAlarm == 20)
  }

  @Test mutating func anOverdueTaskWaitsForNothing() {
    let (task, other) = (makeTask(.idle, limitEnd: 10), makeTask())
    add(task, other)
    _ = tasks.letTimePass(until: 10)
    tasks.setIntervalEnd(of: task, to: 20, at: 10)
    #expect(all == ids(task, other))
    tasks.setDelayEnd(of: task, to: 20, at: 10)  // a new place
    #expect(all == ids(other, task) && task.isOverdue && task.isInLine)
  }

  @Test mutating func aLimitIsInherited() {
    let (old, task) = (makeTask(limitEnd: 10), makeTask(delayEnd: 50, limitEnd: 30))
    add(old, task)
    tasks.replace(old, by: task, at: 0)
    #expect(task.whereabouts == .waiting && tasks.earliestAlarm == 10)
    tasks.setLimitEnd(of: task, to: 40, at: 0)
    #expect(tasks.earliestAlarm == 10)
    tasks.setLimitEnd(of: task, to: 5, at: 0)
    #expect(tasks.earliestAlarm == 5)
    _ = tasks.letTimePass(until: 5)
    tasks.setLimitEnd(of: task, to: 40, at: 5)
    #expect(tasks.earliestAlarm == 10)
  }

  @Test mutating func aPassedLimitIsInheritedWithThePlace() {
    let (old, other, task) = (makeTask(.idle, limitEnd: 10), makeTask(), makeTask(delayEnd: 50))
    add(old, other)
    _ = tasks.letTimePass(until: 20)
    tasks.add(task, at: 20)
    tasks.replace(old, by: task, at: 20)
    #expect(task.isOverdue && all == ids(task, other) && tasks.earliestAlarm == nil)
  }

  @Test mutating func aTaskThatLeavesHasNoAlarms() {
    let (waiting, limited, taken) = (
      makeTask(delayEnd: 10, limitEnd: 20), makeTask(limitEnd: 30), makeTask(limitEnd: 5)
    )
    add(waiting, limited, taken)
    tasks.remove(waiting)
    tasks.remove(limited)
    #expect(waiting.whereabouts == .outside)
    #expect(take(.nextLoopBegan) == ids(taken))
    #expect(tasks.earliestAlarm == nil && !tasks.hasTasks(in: .default) && all == [])
  }

  @Test mutating func theKeysComeOutWhoseIntervalsHaveEnded() {
    _ = tasks.addInterval(of: "late", until: 30)
    let gone = tasks.addInterval(of: "gone", until: 5)
    _ = tasks.addInterval(of: "early", until: 10)
    tasks.removeInterval(gone)
    #expect(tasks.earliestAlarm == 10 && all == [])
    #expect(tasks.letTimePass(until: 9) == [])
    #expect(tasks.letTimePass(until: 30) == ["early", "late"])
    #expect(tasks.earliestAlarm == nil)
  }
}
