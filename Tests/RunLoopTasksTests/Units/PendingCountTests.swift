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
    let isOfLatest = [old, 1].map { count.removeTask(of: $0) }
    #expect(count.value == 2 && generations == [1, 1, 1] && isOfLatest == [false, true])
  }
}
