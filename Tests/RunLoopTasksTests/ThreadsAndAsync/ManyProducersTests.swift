import Foundation
import RunLoopTasks
import Testing

/// Many threads schedule, change and cancel tasks while the loop runs, nests and finally ends.
@Suite(.onOwnLoop) struct ManyProducersTests {
  private static let producers = 8
  /// A hundred thousand tasks in all by default.
  private static let tasksEach =
    (ProcessInfo.processInfo.environment["MANY_PRODUCERS_TASKS"].flatMap(Int.init) ?? 100_000) / producers
  private static let patience = DispatchTimeInterval.seconds(600)

  /// How often each outcome of a task was seen.
  private struct Tally: Sendable {
    let posts = Counter()
    let runs = Counter()
    let releases = Counter()
    let finished = Counter()
    let cancelled = Counter()
  }

  @Test func eachTaskRunsOrIsCancelledExactlyOnce() {
    let all = Self.producers * Self.tasksEach
    let tally = Tally()
    let queue = Box<RunLoopTaskQueue?>(nil)
    let (isReady, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread {
      queue.value = RunLoop.current.taskQueue
      isReady.signal()
      Self.runLoop(until: { tally.posts.value >= all * 3 / 4 && tally.runs.value >= 1_000 })
      hasEnded.signal()
    }.start()
    isReady.waitOrDie("the start of the loop")
    let producers = (0..<Self.producers).map { producer in
      JoinableThread { Self.produce(producer, queue.value!, tally) }
    }
    hasEnded.waitOrDie("the end of the loop", patience: Self.patience)
    for producer in producers { producer.join() }
    waitUntil { tally.releases.value == all }  // The thread may still be ending.
    #expect(queue.value!.count == 0)
    #expect(tally.runs.value + tally.cancelled.value == all)
    #expect(tally.finished.value == tally.runs.value)
  }

  /// Runs the current thread's loop in several ways, with runs nested in tasks.
  private static func runLoop(until isDone: () -> Bool) {
    RunLoop.current.taskQueue.budget = .milliseconds(1)
    var pass = 0
    while !isDone() {
      pass += 1
      let mode: RunLoop.Mode = pass % 2 == 0 ? .custom : .default
      if pass.isMultiple(of: 7) { RunLoop.current.perform { RunLoop.current.runPass() }.when(.currentLoopEnded) }
      if pass.isMultiple(of: 3) { poll(mode) } else { RunLoop.current.runPass(mode: mode) }
    }
  }

  private static func produce(_ producer: Int, _ queue: RunLoopTaskQueue, _ tally: Tally) {
    var tasks: [RunLoopTask] = []
    func settle() {
      // The final state of a pending task is counted when the loop has ended.
      tasks = tasks.filter { task in
        switch task.state {
        case .pending, .running: return true
        case .finished: tally.finished.count()
        case .cancelled: tally.cancelled.count()
        }
        return false
      }
    }
    for number in 0..<tasksEach {
      let task: RunLoopTask = {
        let token = Token { tally.releases.count() }
        let hasRun = Counter()
        return queue.perform(
          when: RunLoopTask.Timing.allCases[number % 3], forModes: number % 5 == 0 ? [.custom] : [.default],
          coalescedBy: number % 11 == 0 ? number % 7 : nil
        ) {
          token.use()
          tally.runs.count()
          if hasRun.count() != 1 { Issue.record("task \(number) of producer \(producer) ran again") }
        }
      }()
      if number % 8 == producer { task.when(.idle).forModes(.common) }
      if number % 9 == producer { task.coalesced(by: number % 5) }
      if number % 6 == 0 { task.cancel() }
      if number == tasksEach / 2 + producer { queue.cancelAll() }
      tasks.append(task)
      tally.posts.count()
      // Waits for the loop, which is slower.
      while tasks.count >= 2_000 {
        settle()
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
    waitUntil {
      settle()
      return tasks.isEmpty
    }
  }
}
