import Testing

@testable import RunLoopTasks

/// The time and the memory that `SortedTasks` takes. The model and `ManyDelaysTests` ask what it does.
@Suite struct SortedTasksTests {
  private var tasks = SortedTasks()

  private mutating func insert(_ position: UInt64) {
    let task = makeTask()
    task.position = position
    tasks.insert(.passRetained(task))
  }

  private mutating func remove(_ position: UInt64) {
    tasks.remove(at: Rank(order: 0, position: position)).release()
  }

  /// Takes out the first task of a batch.
  private mutating func take(_ batch: UInt64) -> UInt64? {
    guard let first = tasks.first(inBatch: batch)?.takeUnretainedValue() else { return nil }
    return tasks.remove(at: first.rank).takeRetainedValue().position
  }

  private var positions: [UInt64] { tasks.tasks.map(\.position) }
  private var nodes: any HasCapacity { Mirror.value("nodes", of: tasks) as! any HasCapacity }

  enum Way: CaseIterable { case rising, falling, scattered, fromBothEnds }

  /// All operations take as many steps as the tree is deep.
  @Test(arguments: Way.allCases) mutating func theTreeIsShallowInWhateverOrderTasksCome(way: Way) {
    let count: UInt64 = 1_024
    for number in 0..<count {
      switch way {
      case .rising: insert(number)
      case .falling: insert(count - number)
      case .scattered: insert(number * 1_237 % count)
      case .fromBothEnds: insert(number.isMultiple(of: 2) ? count + number : count - number)
      }
    }
    #expect(depth < 4 * 10)
    for _ in 0..<count / 2 { _ = take(2 * count + 1) }
    #expect(tasks.count == Int(count / 2) && depth < 4 * 9)
  }

  private var depth: Int {
    let links = Mirror(reflecting: nodes).children.map {
      (Mirror.value("left", of: $0.value) as! Int, Mirror.value("right", of: $0.value) as! Int)
    }
    func depth(_ tree: Int) -> Int { tree < 0 ? 0 : 1 + max(depth(links[tree].0), depth(links[tree].1)) }
    return depth(Mirror.value("root", of: tasks) as! Int)
  }

  @Test mutating func freeNodesAreDroppedWhenTheyOutnumberTheTasks() {
    for position in UInt64(0)..<1_000 { insert(position) }
    for position in UInt64(1)..<999 { remove(position) }
    #expect(positions == [0, 999] && nodes.count <= 4 * 2 + 64)
  }

  @Test mutating func aLineThatMovesOnDoesNotGrow() {
    insert(0)
    for position in UInt64(1)..<2_000 {
      insert(position)
      #expect(take(position + 1) == position - 1)
    }
    #expect(nodes.count < 100)
  }

  @Test(arguments: [UInt64(100), 3_000])
  mutating func onlyASmallArrayIsKeptWithoutTasks(count: UInt64) {
    for position in 0..<count { insert(position) }
    for _ in 0..<count { _ = take(count) }
    #expect(tasks.isEmpty && nodes.capacity > 0 && nodes.capacity <= 1_024)
  }
}

/// What is asked of a private array.
private protocol HasCapacity {
  var capacity: Int { get }
  var count: Int { get }
}

extension ContiguousArray: HasCapacity {}

extension Mirror {
  fileprivate static func value(_ name: String, of object: Any) -> Any? {
    Mirror(reflecting: object).children.first { $0.label == name }?.value
  }
}
