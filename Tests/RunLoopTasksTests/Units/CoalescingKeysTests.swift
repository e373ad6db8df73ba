import Testing

@testable import RunLoopTasks

@Suite struct CoalescingKeysTests {
  private var keys = CoalescingKeys()
  private var alarms = Alarms()

  @Test mutating func onlyTheLatestBeginningCounts() {
    let (first, second) = (alarms.add(1_100, .memory("a")), alarms.add(1_250, .memory("a")))
    #expect(keys.noteBeginning(of: "a", at: 1_000, until: first) == nil)
    #expect(keys.noteBeginning(of: "a", at: 1_050, until: second) == first)
    #expect(keys.endOfInterval(of: .init("a", 10)) == 1_060)
  }

  @Test mutating func allKeysAreGivenAway() {
    _ = keys.replaceTask(with: "a", by: makeTask())
    _ = keys.noteBeginning(of: "b", at: 0, until: alarms.add(100, .memory("b")))
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
