import Testing

@testable import RunLoopTasks

/// What `PendingTasksModelTests` does not ask.
@Suite struct PendingTasksTests {
  private var tasks: PendingTasks

  init() {
    tasks = PendingTasks()
    for index in UInt16(0)..<4 { #expect(tasks.addMode() == ModeID(index: index)) }
  }

  @Test mutating func aTaskThatIsTakenOutIsReleased() {
    weak var task: RunLoopTask?
    func addAndTake() {
      let new = makeTask()
      task = new
      tasks.add(new, at: 0)
      let batch = tasks.beginBatch()
      #expect(tasks.removeFirst(in: .nextLoopBegan, of: .default, isCommon: false, batch: batch) === new)
      #expect(new.whereabouts == .outside)
    }
    addAndTake()
    #expect(task == nil)
  }

  @Test mutating func allTasksAreTakenOutOnce() {
    let all = [
      makeTask(), makeTask(.idle, modes: [.custom, .other]), makeTask(delayEnd: 10, limitEnd: 20), makeTask(order: 1),
    ]
    for task in all { tasks.add(task, at: 0) }
    let removed = tasks.removeAll()
    #expect(
      removed.count == all.count && Set(removed.map(ObjectIdentifier.init)) == Set(all.map(ObjectIdentifier.init)))
    #expect(tasks.all.isEmpty && tasks.earliestAlarm == nil && all.allSatisfy { $0.whereabouts == .outside })
  }
}
