import Foundation
import RunLoopTasks
import Testing

/// Thousands of delays.
@Suite(.onOwnLoop) struct ManyDelaysTests {
  private static let count = 5_000

  /// All numbers from 1 to `count` in a random order, which is always the same.
  private static let delays = {
    var random = SplitMix(state: 1)
    return (1...count).shuffled(using: &random)
  }()

  enum Way: CaseIterable { case oneByOne, fromAnotherThread, all, theEndOfTheLoop }

  @Test(arguments: Way.allCases) func cancellingManyDelayedTasksReleasesAll(_ way: Way) {
    let released = Counter()
    let weak = onLoopThread {
      let queue = RunLoop.current.taskQueue
      var tasks = Self.delays.map { delay in
        RunLoop.current.perform(closure(whenReleased: { released.count() }))
          .after(.seconds(1_000 + delay)).within(.seconds(900_000))
      }
      #expect(queue.count == Self.count)
      let weak = [tasks.first, tasks.last].map { WeakTask(task: $0) }
      switch way {
      case .oneByOne: tasks.forEach { $0.cancel() }
      case .fromAnotherThread:
        elsewhere { [tasks] in tasks.forEach { $0.cancel() } }
        RunLoop.current.runPass()
      case .all: queue.cancelAll()
      case .theEndOfTheLoop: return weak
      }
      #expect(queue.count == 0 && released.value == Self.count)
      tasks = []
      waitUntil { weak.allSatisfy { $0.task == nil } }  // the other thread may still be about to release its list
      run()  // without a limit: the watchdog ends a run that does not return
      return weak
    }
    waitUntil { released.value == Self.count && weak.allSatisfy { $0.task == nil } }
  }

  @Test func cancellingEverySecondTaskLeavesTheOthersInOrder() {
    let order = Box<[Int]>([])
    var tasks: [RunLoopTask] = []
    atOneMoment {
      tasks = Self.delays.map { delay in RunLoop.current.perform { order.add([delay]) }.after(.seconds(delay)) }
      for (task, delay) in zip(tasks, Self.delays) where delay % 2 == 0 { task.cancel() }
      for (task, delay) in zip(tasks, Self.delays) where delay % 4 == 1 { task.after(.seconds(delay + Self.count)) }
    }
    stopClock(after: .seconds(3 * Self.count))
    RunLoop.current.runPass()
    letClockRun()
    let odd = stride(from: 1, through: Self.count, by: 2)
    #expect(order.value == odd.filter { $0 % 4 == 3 } + odd.filter { $0 % 4 == 1 })
  }
}

private struct WeakTask: Sendable {
  weak let task: RunLoopTask?
}
