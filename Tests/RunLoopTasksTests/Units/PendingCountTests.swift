import Foundation
import Testing

@testable import RunLoopTasks

@Suite(.onOwnLoop) struct PendingCountTests {
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

  @Test func concurrentChangesOfTheCountAreNotLost() {
    let loop = LoopThread()
    let scheduler = loop.queue.scheduler
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      @Sendable func count(onLoopThread: Bool) {
        for _ in 1...20_000 { scheduler.pendingCount.add(1, of: 0, onLoopThread: onLoopThread) }
      }
      if number == 0 { loop.perform { count(onLoopThread: true) } } else { count(onLoopThread: false) }
    }
    #expect(loop.queue.count == 80_000)
    loop.end()
  }

  /// A thread may call `cancelAll` again and again while nothing is scheduled.
  @Test(arguments: [true, false]) func countIsRightAfterMillionsOfGenerations(onLoopThread: Bool) {
    let count = PendingCount()
    count.add(1, of: count.generation, onLoopThread: onLoopThread)
    for shift in [23, 23] {
      for _ in 0..<1 << shift { count.beginGeneration() }
      #expect(count.value == 0)
    }
    for _ in 0..<1 << 23 { count.beginGeneration() }
    count.add(1, of: count.generation, onLoopThread: onLoopThread)
    #expect(count.value == 1)
  }

  /// The loop does not look meanwhile.
  @Test func aTaskStaysCancelledForMillionsOfGenerations() {
    let queue = RunLoop.current.taskQueue
    let task = queue.perform {}
    elsewhere { for _ in 0..<1 << 24 { queue.scheduler.pendingCount.beginGeneration() } }
    let state = task.state
    #expect(state == .cancelled)
  }
}
