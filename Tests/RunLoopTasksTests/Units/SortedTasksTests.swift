import Testing

@testable import RunLoopTasks

@Suite struct SortedTasksTests {
  private var tasks = SortedTasks()

  /// Inserts new tasks of the order 0.
  @discardableResult
  private mutating func insert(_ positions: UInt64...) -> [RunLoopTask] {
    positions.map { position in
      let task = makeTask()
      task.position = position
      tasks.insert(task)
      return task
    }
  }

  @discardableResult
  private mutating func remove(_ position: UInt64) -> RunLoopTask {
    tasks.remove(at: Rank(order: 0, position: position))
  }

  private var positions: [UInt64] { tasks.tasks.map(\.position) }

  /// Asks a batch for its next task, which is taken out.
  ///
  /// - Returns: its position, and the positions of those that were asked about.
  private mutating func take(_ batch: UInt64, where isEligible: (UInt64) -> Bool = { _ in true }) -> (
    position: UInt64?, asked: [UInt64]
  ) {
    var asked: [UInt64] = []
    let rank = tasks.first(inBatch: batch) { task in
      asked.append(task.position)
      return task.readyPosition < batch && isEligible(task.position)
    }
    if let rank { #expect(tasks.takeFirst().rank == rank) }
    return (rank?.position, asked)
  }

  @Test mutating func tasksAreSortedWhateverTheOrderOfInsertion() {
    insert(5, 1, 9, 3, 7, 2)
    #expect(positions == [1, 2, 3, 5, 7, 9] && tasks.count == 6)
  }

  @Test(arguments: [[UInt64](), [1], [4], [2, 3], [1, 4], [2], [4, 3, 2, 1], [1, 2, 3, 4]])
  mutating func anyTaskCanBeRemoved(removed: [UInt64]) {
    insert(1, 2, 3, 4)
    for position in removed { #expect(remove(position).position == position) }
    #expect(positions == [1, 2, 3, 4].filter { !removed.contains($0) } && tasks.count == positions.count)
    #expect(tasks.isEmpty == positions.isEmpty)
  }

  @Test mutating func aTaskComesIntoAnEmptyPlace() {
    insert(1, 2, 3, 4)
    for position: UInt64 in [1, 2, 3] { remove(position) }
    insert(3, 2, 1)
    #expect(positions == [1, 2, 3, 4])
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
    tasks.insert(task)
    #expect(take(10) == (7, [7]))
    #expect(take(13) == (1, [1]))
    #expect(take(13) == (2, [2]))
  }

  @Test mutating func removingBeforeTheCursorLeavesTheSearchWhereItIs() {
    insert(1, 2, 3, 4)
    #expect(take(10) { $0 == 3 } == (3, [1, 2, 3]))
    remove(1)
    #expect(take(10) == (4, [4]))
    #expect(take(11) == (2, [2]))
  }

  @Test mutating func theOnlyTaskIsRemovedThoughALaterOneWasTaken() {
    insert(1, 2, 3)
    #expect(take(10) { $0 == 3 }.position == 3)
    remove(2)
    remove(1)
    #expect(tasks.isEmpty && positions == [])
    insert(4)
    #expect(take(10) == (4, [4]))
  }

  @Test mutating func theOrderComesBeforeThePosition() {
    for (position, order) in [(1, 0), (2, 1), (3, -1)] as [(UInt64, Int)] {
      let task = makeTask(order: order)
      task.position = position
      tasks.insert(task)
    }
    #expect(positions == [3, 1, 2])
    #expect(take(10).position == 3)
    #expect(tasks.remove(at: Rank(order: 1, position: 2)).order == 1)
    #expect(positions == [1])
  }

  @Test mutating func whatIsOutAlreadyIsNotRemoved() {
    insert(1, 2, 3)
    remove(2)
    for position: UInt64 in [2, 4, 0, 1] { tasks.removeIfPresent(at: Rank(order: 0, position: position)) }
    #expect(positions == [3] && tasks.count == 1)
  }

  // MARK: Memory

  @Test mutating func emptyEntriesInTheMiddleAreDroppedWhenTheyOutnumberTheTasks() throws {
    for position in UInt64(0)..<1_000 { insert(position) }
    for position in UInt64(1)..<999 { remove(position) }
    #expect(positions == [0, 999])
    #expect(try #require(privateArray("entries", of: tasks)).count <= 2 * 2 + 33)
  }

  @Test mutating func aLineThatMovesOnDoesNotGrow() throws {
    insert(0)
    for position in UInt64(1)..<10_000 {
      insert(position)
      #expect(take(position + 1).position == position - 1)
    }
    #expect(try #require(privateArray("entries", of: tasks)).count < 100)
  }

  @Test(arguments: [(UInt64(100), true), (10_000, false)])
  mutating func aLargeArrayIsGivenBackWhenItsLastTaskIsTaken(count: UInt64, isKept: Bool) throws {
    for position in 0..<count { insert(position) }
    for position in 0..<count { #expect(take(count).position == position) }
    #expect(isKept == (try #require(privateArray("entries", of: tasks)).capacity > 0))
  }

  @Test mutating func aLargeArrayIsGivenBackWhenItsLastTaskIsRemoved() throws {
    for position in UInt64(0)..<10_000 { insert(position) }
    for position in UInt64(0)..<10_000 { remove(position) }
    #expect(try #require(privateArray("entries", of: tasks)).capacity <= 1_024)
  }

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
        let position = UInt64.random(in: 900..<next + 1, using: &random)
        guard !sorted.contains(position) else { continue }
        insert(position)
        sorted.append(position)
        next = max(next, position + 1)
      case 5..<7:
        guard let position = sorted.randomElement(using: &random) else { continue }
        remove(position)
        sorted.removeAll { $0 == position }
      default:
        let batch = next + UInt64.random(in: 0..<2, using: &random) - 1
        let isEligible = { (position: UInt64) in (position + batch) % 3 != 0 }
        let expected = sorted.filter { $0 < batch && isEligible($0) }.min()
        #expect(take(batch, where: isEligible).position == expected)
        sorted.removeAll { $0 == expected }
      }
      sorted.sort()
      #expect(positions == sorted && tasks.count == sorted.count)
      if Int.random(in: 0..<200, using: &random) == 0 {
        for position in sorted { remove(position) }
        sorted = []
      }
    }
  }
}
