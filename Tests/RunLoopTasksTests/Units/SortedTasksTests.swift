import Testing

@testable import RunLoopTasks

@Suite struct SortedTasksTests {
  private var tasks = SortedTasks<UInt64>()

  /// Inserts new tasks whose keys are their positions.
  @discardableResult
  private mutating func insert(_ keys: UInt64...) -> [RunLoopTask] {
    keys.map { key in
      let task = makeTask()
      task.position = key
      tasks.insert(task, at: key)
      return task
    }
  }

  private var keys: [UInt64] { tasks.tasks.map(\.position) }

  /// Asks a batch for its next task, which is taken out.
  ///
  /// - Returns: the task's key, and the keys of those that were asked about.
  private mutating func take(_ batch: UInt64, where isEligible: (UInt64) -> Bool = { _ in true }) -> (
    key: UInt64?, asked: [UInt64]
  ) {
    var asked: [UInt64] = []
    let key = tasks.first(inBatch: batch) { task in
      asked.append(task.position)
      return task.readyPosition < batch && isEligible(task.position)
    }
    if let key { #expect(tasks.takeFirst().position == key) }
    return (key, asked)
  }

  @Test mutating func keysAreSortedWhateverTheOrderOfInsertion() {
    insert(5, 1, 9, 3, 7, 2)
    #expect(keys == [1, 2, 3, 5, 7, 9] && tasks.count == 6)
  }

  @Test(arguments: [[UInt64](), [1], [4], [2, 3], [1, 4], [2], [4, 3, 2, 1], [1, 2, 3, 4]])
  mutating func anyTaskCanBeRemoved(removed: [UInt64]) {
    insert(1, 2, 3, 4)
    for key in removed { #expect(tasks.remove(at: key).position == key) }
    #expect(keys == [1, 2, 3, 4].filter { !removed.contains($0) } && tasks.count == keys.count)
    #expect(tasks.isEmpty == keys.isEmpty)
  }

  @Test mutating func aTaskComesIntoAnEmptyPlace() {
    insert(1, 2, 3, 4)
    for key: UInt64 in [1, 2, 3] { _ = tasks.remove(at: key) }
    insert(3, 2, 1)
    #expect(keys == [1, 2, 3, 4])
  }

  // MARK: Batches

  @Test mutating func aRefusedTaskIsNotAskedAboutAgainInItsBatch() {
    insert(1, 2, 3, 4, 5)
    #expect(take(10) { $0 >= 3 } == (3, [1, 2, 3]))
    #expect(take(10) { $0 >= 3 } == (4, [4]))
    #expect(take(10) == (5, [5]))
    #expect(take(10) == (nil, []))
  }

  @Test mutating func anotherBatchBeginsAtTheFront() {
    insert(1, 2, 3)
    #expect(take(10) { $0 == 3 } == (3, [1, 2, 3]))
    #expect(take(11) == (1, [1]))
    #expect(take(10) == (2, [2]))
  }

  @Test mutating func whatIsInsertedBeforeTheCursorIsFound() {
    insert(1, 3, 5, 7)
    #expect(take(10) { $0 == 5 } == (5, [1, 3, 5]))
    insert(2)
    #expect(take(10) == (2, [2]))
  }

  @Test mutating func whatIsTooNewForTheBatchDoesNotMoveTheCursorBack() {
    insert(1, 3, 5, 7)
    #expect(take(10) { $0 == 5 } == (5, [1, 3, 5]))
    let task = makeTask()
    task.position = 2
    task.madeOptions.ownPositions = (born: 12, ready: 12)
    tasks.insert(task, at: 2)
    #expect(take(10) == (7, [7]))
    #expect(take(13) == (1, [1]))
    #expect(take(13) == (2, [2]))
  }

  @Test mutating func removingBeforeTheCursorLeavesTheSearchWhereItIs() {
    insert(1, 2, 3, 4)
    #expect(take(10) { $0 == 3 } == (3, [1, 2, 3]))
    _ = tasks.remove(at: 1)
    #expect(take(10) == (4, [4]))
    #expect(take(11) == (2, [2]))
  }

  @Test mutating func theOnlyTaskIsRemovedThoughALaterOneWasTaken() {
    insert(1, 2, 3)
    #expect(take(10) { $0 == 3 }.key == 3)
    _ = tasks.remove(at: 2)
    _ = tasks.remove(at: 1)
    #expect(tasks.isEmpty && keys == [])
    insert(4)
    #expect(take(10) == (4, [4]))
  }

  @Test mutating func aBatchTakesWhatWasReadyBefore() {
    for (task, ready) in zip(insert(1, 2, 3), [UInt64(1), 12, 3]) {
      task.madeOptions.ownPositions = (born: ready, ready: ready)
    }
    let taken = (0..<3).map { _ in tasks.takeFirst(inBatch: 10)?.position }
    #expect(taken == [1, 3, nil] && tasks.count == 1)
    #expect(tasks.takeFirst(inBatch: 13)?.position == 2)
    #expect(tasks.takeFirst(inBatch: 13) == nil)
  }

  @Test mutating func whatIsOutAlreadyIsNotRemoved() {
    insert(1, 2, 3)
    _ = tasks.remove(at: 2)
    for key: UInt64 in [2, 4, 0, 1] { tasks.removeIfPresent(at: key) }
    #expect(keys == [3] && tasks.count == 1)
  }

  // MARK: Memory

  @Test mutating func emptyEntriesInTheMiddleAreDroppedWhenTheyOutnumberTheTasks() throws {
    for key in UInt64(0)..<1_000 { insert(key) }
    for key in UInt64(1)..<999 { _ = tasks.remove(at: key) }
    #expect(keys == [0, 999])
    #expect(try #require(privateArray("entries", of: tasks)).count <= 2 * 2 + 33)
  }

  @Test mutating func aLineThatMovesOnDoesNotGrow() throws {
    insert(0)
    for key in UInt64(1)..<10_000 {
      insert(key)
      #expect(take(key + 1).key == key - 1)
    }
    #expect(try #require(privateArray("entries", of: tasks)).count < 100)
  }

  @Test(arguments: [(UInt64(100), true), (10_000, false)])
  mutating func aLargeArrayIsGivenBackWhenItsLastTaskIsTaken(count: UInt64, isKept: Bool) throws {
    for key in 0..<count { insert(key) }
    for key in 0..<count { #expect(take(count).key == key) }
    let capacity = try #require(privateArray("entries", of: tasks)).capacity
    #expect(isKept == (capacity > 0))
  }

  @Test mutating func aLargeArrayIsGivenBackWhenItsLastTaskIsRemoved() throws {
    for key in UInt64(0)..<10_000 { insert(key) }
    for key in UInt64(0)..<10_000 { _ = tasks.remove(at: key) }
    let capacity = try #require(privateArray("entries", of: tasks)).capacity
    #expect(capacity <= 1_024)
  }

  // MARK: At random

  @Test(arguments: 1...20)
  mutating func itDoesWhatASortedArrayDoes(seed: UInt64) {
    var random = SplitMix(state: seed)
    var (sorted, next) = ([UInt64](), UInt64(1_000))
    for _ in 0..<2_000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        insert(next)
        sorted.append(next)
        next += UInt64.random(in: 1...3, using: &random)
      case 4:
        let key = UInt64.random(in: 900..<next + 1, using: &random)
        guard !sorted.contains(key) else { continue }
        insert(key)
        sorted.append(key)
        next = max(next, key + 1)
      case 5..<7:
        guard let key = sorted.randomElement(using: &random) else { continue }
        _ = tasks.remove(at: key)
        sorted.removeAll { $0 == key }
      default:
        let batch = next + UInt64.random(in: 0..<2, using: &random) - 1
        let isEligible = { (key: UInt64) in (key + batch) % 3 != 0 }
        let expected = sorted.filter { $0 < batch && isEligible($0) }.min()
        #expect(take(batch, where: isEligible).key == expected)
        sorted.removeAll { $0 == expected }
      }
      sorted.sort()
      #expect(keys == sorted && tasks.count == sorted.count)
      if Int.random(in: 0..<200, using: &random) == 0 {
        for key in sorted { _ = tasks.remove(at: key) }
        sorted = []
      }
    }
  }
}
