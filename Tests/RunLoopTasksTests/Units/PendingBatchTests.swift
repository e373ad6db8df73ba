import Testing

@testable import RunLoopTasks

/// Which tasks a batch of `PendingTasks` may run.
@Suite struct PendingBatchTests {
  private var tasks: PendingTasks

  init() {
    tasks = PendingTasks()
    for _ in 0..<4 { _ = tasks.addMode() }
  }

  private mutating func add(_ new: RunLoopTask...) { for task in new { tasks.add(task, at: 0) } }

  private mutating func next(
    _ batch: UInt64, isCommon: Bool = false, in lists: ListSet = [.nextLoopBegan, .overdue]
  ) -> RunLoopTask? {
    tasks.removeFirst(in: lists, of: .custom, isCommon: isCommon, batch: batch)
  }

  private func task(_ timing: RunLoopTask.Timing = .nextLoopBegan, _ modes: ModeID...) -> RunLoopTask {
    makeTask(timing, modes: modes.isEmpty ? [.custom] : modes)
  }

  @Test mutating func whatComesInDuringABatchWaitsForTheNext() {
    let (old, new) = (task(), task())
    add(old)
    let batch = tasks.beginBatch()
    add(new)
    #expect(next(batch) === old)
    #expect(next(batch) == nil)
    #expect(next(tasks.beginBatch()) === new)
  }

  @Test mutating func aDelayThatEndsDuringABatchWaitsForTheNext() {
    let task = makeTask(modes: [.custom], delayEnd: 10)
    add(task)
    let batch = tasks.beginBatch()
    _ = tasks.letTimePass(until: 10)
    #expect(next(batch) == nil)
    #expect(next(tasks.beginBatch()) === task)
  }

  @Test mutating func whatIsAmendedIntoABatchRunsInItsPlace() {
    let (one, two, three) = (task(), task(.idle, .other), task())
    add(one, two, three)
    let batch = tasks.beginBatch()
    #expect(next(batch) === one)
    tasks.setTiming(of: two, to: .nextLoopBegan)
    tasks.setModes(of: two, to: [.other, .custom])
    #expect(next(batch) === two)
    #expect(next(batch) === three)
  }

  @Test mutating func aNestedBatchTakesOverTheRestOfTheOuterOne() {
    let old = (0..<3).map { _ in task() }
    for task in old { add(task) }
    let outer = tasks.beginBatch()
    #expect(next(outer) === old[0])
    let new = task()
    add(new)
    let inner = tasks.beginBatch()
    #expect(next(inner) === old[1])
    #expect(next(outer) === old[2])
    #expect(next(outer) == nil)
    #expect(next(inner) === new)
  }

  // MARK: Replacing

  @Test mutating func aReplacementHasThePlaceOfTheOldTask() {
    let (old, other, new) = (task(), task(), task())
    add(old, other, new)
    tasks.replace(old, by: new, at: 0)
    #expect(old.whereabouts == .outside)
    let batch = tasks.beginBatch()
    #expect(next(batch) === new)
    #expect(next(batch) === other)
    #expect(!tasks.hasTasks(in: .custom))
  }

  @Test mutating func aReplacementMadeDuringABatchWaitsForTheNext() {
    let (old, other, new) = (task(), task(), task())
    add(old, other)
    let batch = tasks.beginBatch()
    add(new)
    tasks.replace(old, by: new, at: 0)
    #expect(next(batch) === other)
    #expect(next(batch) == nil)
    #expect(next(tasks.beginBatch()) === new)
  }

  @Test mutating func anOldTaskThatReplacesDuringABatchWaitsForTheNextBatch() {
    let (old, new) = (task(), task())
    add(old, new)
    let batch = tasks.beginBatch()
    tasks.replace(old, by: new, at: 0)
    #expect(next(batch) == nil)
    #expect(next(tasks.beginBatch()) === new)
  }

  @Test mutating func aReplacementThatWaitsForItsTimeTakesNoPlace() {
    let (old, other, new) = (task(), task(), makeTask(modes: [.custom], delayEnd: 10))
    add(old, other, new)
    tasks.replace(old, by: new, at: 0)
    #expect(old.whereabouts == .outside && new.whereabouts == .waiting)
    _ = tasks.letTimePass(until: 10)
    let batch = tasks.beginBatch()
    #expect(next(batch) === other)
    #expect(next(batch) === new)
  }

  @Test mutating func aReplacementThatIsDelayedLaterForgetsThePlace() {
    let (old, new) = (task(), task())
    add(old, new)
    tasks.replace(old, by: new, at: 0)
    tasks.setDelayEnd(of: new, to: 10, at: 0)
    let batch = tasks.beginBatch()
    _ = tasks.letTimePass(until: 10)
    #expect(next(batch) == nil)
    #expect(next(tasks.beginBatch()) === new)
  }

  // MARK: Left behind

  /// Whether the task runs at the entry of a run.
  private mutating func isLeftBehind(_ task: RunLoopTask) -> Bool {
    next(tasks.beginBatch(), isCommon: true, in: [.leftBehind, .overdue]) === task
  }

  @Test(arguments: [
    ([ModeID.custom], ModeID.custom, true), ([.custom], .other, false), ([.custom, .other], .other, true),
    ([.common], .common, true), ([.common], .custom, false),
  ])
  mutating func aTaskIsLeftBehindByTheExitOfOneOfItsModes(modes: [ModeID], exit: ModeID, isLeft: Bool) {
    let task = makeTask(modes: modes)
    add(task)
    tasks.noteExit(of: exit)
    #expect(isLeftBehind(task) == isLeft)
  }

  @Test(arguments: [[ModeID.custom], [.custom, .other]])
  mutating func aRunNestedInABatchMayLeaveATaskBehindForIt(modes: [ModeID]) {
    let (left, overdue) = (makeTask(modes: modes), makeTask(.idle, modes: [.custom], limitEnd: 5))
    add(left, overdue)
    _ = tasks.letTimePass(until: 5)
    let batch = tasks.beginBatch()
    #expect(next(batch, in: [.leftBehind, .overdue]) === overdue)
    #expect(next(batch, in: [.leftBehind, .overdue]) == nil)
    tasks.noteExit(of: .custom)
    #expect(next(batch, in: [.leftBehind, .overdue]) === left)
  }

  @Test mutating func anExitBeforeItsSchedulingLeavesNoTaskBehind() {
    tasks.noteExit(of: .custom)
    let task = task()
    add(task)
    #expect(!isLeftBehind(task))
    tasks.noteExit(of: .custom)
    #expect(isLeftBehind(task))
  }

  @Test mutating func aReplacementIsAsOldAsItIs() {
    let (old, new) = (task(), task())
    add(old)
    tasks.noteExit(of: .custom)
    add(new)
    tasks.replace(old, by: new, at: 0)
    #expect(!isLeftBehind(new))
    tasks.noteExit(of: .custom)
    #expect(isLeftBehind(new))
  }

  @Test mutating func anOverdueTaskRunsAtEntryToo() {
    let task = makeTask(.idle, modes: [.custom], limitEnd: 5)
    add(task)
    _ = tasks.letTimePass(until: 5)
    #expect(isLeftBehind(task))
  }

  @Test mutating func allTasksAreTakenOutOnce() {
    let all = [task(), task(.idle, .custom, .other), makeTask(delayEnd: 10, limitEnd: 20), makeTask(order: 1)]
    for task in all { add(task) }
    let removed = tasks.removeAll()
    #expect(
      removed.count == all.count && Set(removed.map(ObjectIdentifier.init)) == Set(all.map(ObjectIdentifier.init)))
    #expect(tasks.all.isEmpty && tasks.earliestAlarm == nil && all.allSatisfy { $0.whereabouts == .outside })
  }
}
