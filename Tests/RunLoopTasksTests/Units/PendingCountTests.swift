import Testing

@testable import RunLoopTasks

@Suite(.onOwnLoop) struct PendingCountTests {
  /// `cancelAll` begins a generation. Another thread may remove one of the cancelled tasks afterwards.
  @Test func countIgnoresTasksOfEarlierGenerations() {
    let count = PendingCount()
    let old = count.addTask()
    count.beginGeneration()
    #expect(count.value == 0)
    let generations = (1...3).map { _ in count.addTask() }
    count.removeTask(of: old)
    #expect(count.value == 3 && generations == [1, 1, 1])
    count.removeTask(of: 1)
    #expect(count.value == 2)
  }
}
