import Testing

@testable import RunLoopTasks

@Suite struct CoalescingKeysTests {
  private var keys = CoalescingKeys()
  private var heap = AlarmHeap()

  @Test mutating func aKeyHasTheLatestTask() {
    let (first, second) = (makeTask(), makeTask())
    #expect(keys.replaceTask(with: "a", by: first) == nil)
    #expect(keys.replaceTask(with: "b", by: first) == nil)
    #expect(keys.replaceTask(with: "a", by: second) === first)
    #expect(keys["a"] === second && keys["b"] === first && keys["c"] == nil)
    #expect(keys.removeTask(with: "a") === second)
    #expect(keys["a"] == nil)
    #expect(keys.removeTask(with: "a") == nil)
    #expect(!keys.isEmpty)
    #expect(keys.removeTask(with: "b") === first && keys.isEmpty)
  }

  @Test mutating func aBeginningIsRememberedUntilItIsForgotten() {
    #expect(keys.noteBeginning(of: "a", at: 1_000, until: heap.add(1_100, .memory("a"))) == nil)
    #expect(!keys.isEmpty && keys.endOfInterval(of: .init("a", 100)) == 1_100)
    #expect(keys.forgetBeginning(of: "b") == nil)
    #expect(!keys.isEmpty)
    #expect(keys.forgetBeginning(of: "a") == "a")
    #expect(keys.isEmpty && keys.endOfInterval(of: .init("a", 100)) == nil)
  }

  @Test mutating func theIntervalThatCountsIsThatOfTheTaskThatComes() {
    _ = keys.noteBeginning(of: "a", at: 1_000, until: heap.add(1_100, .memory("a")))
    #expect(keys.endOfInterval(of: .init("a", 30)) == 1_030)
    #expect(keys.endOfInterval(of: .init("a", 0)) == nil && keys.endOfInterval(of: .init("b", 100)) == nil)
    #expect(keys.endOfInterval(of: .init("a", .max)) == .max)
  }

  @Test mutating func onlyTheLatestBeginningCounts() {
    let (first, second) = (heap.add(1_100, .memory("a")), heap.add(1_250, .memory("a")))
    #expect(keys.noteBeginning(of: "a", at: 1_000, until: first) == nil)
    #expect(keys.noteBeginning(of: "a", at: 1_050, until: second) === first)
    #expect(keys.endOfInterval(of: .init("a", 10)) == 1_060)
  }

  @Test mutating func allKeysAreGivenAway() {
    _ = keys.replaceTask(with: "a", by: makeTask())
    _ = keys.noteBeginning(of: "b", at: 0, until: heap.add(100, .memory("b")))
    #expect(Set(keys.removeAll()) == ["a", "b"])
    #expect(keys.isEmpty && keys.endOfInterval(of: .init("b", 100)) == nil && keys["a"] == nil)
  }
}

extension TaskKey {
  /// - Parameter interval: in nanoseconds.
  fileprivate convenience init(_ value: String, _ interval: Int) {
    self.init(value, atMostEvery: .nanoseconds(interval))
  }
}
