import Testing

@testable import RunLoopTasks

@Suite struct PendingCountTests {
  /// `cancelAll` begins a generation. Another thread may remove one of the cancelled tasks afterwards.
  @Test func countIgnoresTasksOfEarlierGenerations() {
    for onLoopThread in [true, false] {
      let count = PendingCount()
      count.add(1, of: count.generation, onLoopThread: onLoopThread)
      let old = count.generation
      count.beginGeneration()
      #expect(count.value == 0)
      for _ in 1...3 { count.add(1, of: count.generation, onLoopThread: onLoopThread) }
      count.add(-1, of: old, onLoopThread: onLoopThread)
      #expect(count.value == 3)
    }
  }
}
