import Testing

@testable import RunLoopTasks

@Suite struct TaskListTests {
  private var list = TaskList()
  private var nextPosition: UInt64 = 1

  @discardableResult
  private mutating func insert(_ order: Int = 0, hasOptions: Bool = false) -> RunLoopTask {
    let task = makeTask(order: order)
    if hasOptions { _ = task.madeOptions }
    task.position = nextPosition
    nextPosition += 1
    list.insert(.passRetained(task))
    return task
  }

  /// Takes out what a batch may run.
  private mutating func takeAll(_ batch: UInt64) -> [UInt64] {
    var positions: [UInt64] = []
    while let first = list.first(inBatch: batch) {
      #expect(list.takeFirst(inBatch: batch)?.takeRetainedValue() === first)
      positions.append(first.position)
    }
    return positions
  }

  @Test func aRankIsTheOrderAndThenThePosition() {
    let ranks = [(-1, 9), (0, 1), (0, 2), (3, 0), (3, 1)].map { Rank(order: $0, position: $1) }
    for (one, other) in zip(ranks, ranks.dropFirst()) { #expect(one < other && !(other < one)) }
    #expect(!(ranks[0] < ranks[0]))
  }

  @Test mutating func lowerOrdersComeFirstAndAmongEqualsTheOlderTask() {
    for order in [0, 2, -1, 0, -3, 2, -1] { insert(order) }
    #expect(list.tasks.map(\.order).sorted() == [-3, -1, -1, 0, 0, 2, 2])
    #expect(takeAll(100) == [5, 3, 7, 1, 4, 2, 6])
    #expect(list.isEmpty)
    for order in [0, 1, -1] { insert(order) }
    let taken = (0..<4).map { _ in list.takeFirst(inBatch: 100)?.takeRetainedValue().order }
    #expect(taken == [-1, 0, 1, nil])
  }

  @Test mutating func tasksWithOptionsButNoOrderAreInLineWithTheOthers() {
    insert()
    insert(hasOptions: true)
    insert()
    #expect(takeAll(100) == [1, 2, 3])
  }

  @Test(arguments: [-1, 0, 1])
  mutating func aTaskOfAnyOrderIsRemoved(order: Int) {
    let task = insert(order)
    insert()
    #expect(list.remove(task).takeRetainedValue() === task)
    #expect(list.tasks.map(\.position) == [2] && !list.isEmpty)
  }

  @Test mutating func aTaskComesIntoItsPlaceAmongNewerOnes() {
    let tasks = (0..<6).map { _ in insert() }
    for index in [3, 0, 5, 1] {
      list.remove(tasks[index]).release()
      list.insert(.passRetained(tasks[index]))
    }
    #expect(takeAll(100) == [1, 2, 3, 4, 5, 6])
  }

  @Test mutating func aBatchTakesWhatWasReadyBefore() {
    insert()
    let task = makeTask()
    (task.position, task.madeOptions.ownPositions) = (nextPosition, (born: 12, ready: 12))
    list.insert(.passRetained(task))
    nextPosition += 1
    insert()
    let taken = (0..<3).map { _ in list.takeFirst(inBatch: 10)?.takeRetainedValue().position }
    #expect(taken == [1, 3, nil] && list.tasks.map(\.position) == [2])
    #expect(list.takeFirst(inBatch: 13)?.takeRetainedValue() === task)
    #expect(list.takeFirst(inBatch: 13) == nil && list.isEmpty)
  }

  @Test mutating func aTaskThatIsTakenOutIsReleased() {
    weak var task: RunLoopTask?
    func insertAndTake() {
      task = insert()
      insert()
      #expect(list.takeFirst(inBatch: 100)?.takeRetainedValue() === task)
    }
    insertAndTake()
    #expect(task == nil && list.tasks.map(\.position) == [2])
  }

  @Test mutating func theFirstTaskOfABatchIsFoundWhateverItsOrder() {
    for order in [1, 0, -1] { insert(order) }
    #expect(list.first(inBatch: 1) == nil)
    #expect(list.first(inBatch: 2)?.order == 1)
    #expect(list.first(inBatch: 3)?.order == 0)
    #expect(list.first(inBatch: 4)?.order == -1)
  }

  @Test mutating func linkedTasksMoveBehindThoseOfAnotherList() {
    var older = TaskList()
    for _ in 0..<2 {
      for order in [0, 1, 0] { insert(order) }
      list.moveLinkedTasks(to: &older)
    }
    #expect(older.linkedTasks.map(\.position) == [1, 3, 4, 6] && older.sortedTasks.isEmpty)
    #expect(list.linkedTasks.isEmpty && list.sortedTasks.map(\.position) == [2, 5])
    list.moveLinkedTasks(to: &older)
    older.remove(older.linkedTasks[2]).release()
    #expect(older.linkedTasks.map(\.position) == [1, 3, 6])
  }

  @Test(arguments: 1...10)
  mutating func theListDoesWhatASortedArrayDoes(seed: UInt64) {
    var random = SplitMix(state: seed)
    var tasks: [RunLoopTask] = []
    for _ in 0..<1_000 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1: tasks.append(insert([0, 0, 0, -1, 1, 5].randomElement(using: &random)!))
      case 2:
        guard let index = tasks.indices.randomElement(using: &random) else { continue }
        list.remove(tasks.remove(at: index)).release()
      default:
        let batch = nextPosition - min(nextPosition, 10)
        let expected = tasks.filter { $0.position < batch }.min { $0.rank < $1.rank }
        #expect(list.takeFirst(inBatch: batch)?.takeRetainedValue() === expected)
        tasks.removeAll { $0 === expected }
      }
      tasks.sort { $0.rank < $1.rank }
      #expect(list.tasks.map(\.position).sorted() == tasks.map(\.position).sorted() && list.isEmpty == tasks.isEmpty)
    }
  }
}
