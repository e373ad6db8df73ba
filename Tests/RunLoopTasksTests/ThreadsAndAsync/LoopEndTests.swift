import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Synchronization
import Testing

/// The tasks of a loop that ends, and of one that has ended.
@Suite(.onOwnLoop) struct LoopEndTests {
  let log = Log()

  enum Held: CaseIterable { case task, taskOfSeveralModes, postedTask, delayedTask, key, keyOfAnInterval }

  @Test(arguments: Held.allCases) func aLoopThatEndsCancelsAndReleasesOnItsThread(_ held: Held) {
    let (queue, task) = onLoopThread { schedule(held) }
    waitUntil { task.state == (held == .keyOfAnInterval ? .finished : .cancelled) }
    waitUntil { log.events == ["released here: true"] && queue.count == 0 }
  }

  private func schedule(_ held: Held) -> (RunLoopTaskQueue, RunLoopTask) {
    let (queue, own) = (RunLoop.current.taskQueue, ThreadID.current)
    let release = { @Sendable in log("released here: \(ThreadID.current == own)") }
    func task() -> RunLoopTask {
      switch held {
      case .task: return queue.perform(when: .idle, closure(whenReleased: release))
      case .taskOfSeveralModes: return queue.perform(forModes: [.default, .custom], closure(whenReleased: release))
      case .postedTask: return onLoopThread { queue.perform(closure(whenReleased: release)) }
      case .delayedTask:
        return queue.perform(after: .seconds(3_000), within: .seconds(4_000), closure(whenReleased: release))
      case .key: return queue.perform(coalescedBy: NumberedKey(1, whenReleased: release)) {}
      case .keyOfAnInterval:
        let key = NumberedKey(1, whenReleased: release)
        let task = queue.perform(coalescedBy: key, atMostEvery: .seconds(3_000)) {}
        RunLoop.current.runPass()
        return task
      }
    }
    return (queue, task())
  }

  @Test func aThreadThatEndsCancelsNewTasksAtOnceAndAcceptsNoSource() {
    let source = loggedSource(log)
    onLoopThread {
      _ = RunLoop.current.taskQueue.perform(
        closure(whenReleased: {
          RunLoop.current.add(source, forMode: .default)
          log("\(RunLoop.current.perform {}.when(.idle).state)")
          log("\(RunLoop.current.taskQueue.perform {}.state)")
        }))
    }
    waitUntil { log.events == ["cancelled", "cancelled"] }
  }

  /// The system releases the data of a thread in rounds until none is left. What begins in the first round ends in the
  /// fourth, before which the thread sanitizer has left the thread.
  @Test(arguments: symbol("__tsan_init") == nil ? [true, false] : [true])
  func tasksScheduledInTheLastRoundsOfAThreadsEndAreCancelled(hasTasksBefore: Bool) {
    let late = LateTasks()
    JoinableThread {
      if hasTasksBefore { RunLoop.current.perform {}.when(.idle) }
      pthread_setspecific(lateKey, Unmanaged.passRetained(late).toOpaque())
    }.join()
    #expect(late.latestStates.value == [.cancelled, .cancelled])
    #expect(late.tasks.value.map(\.state) == Array(repeating: .cancelled, count: 2 * LateTasks.rounds))
    #expect(late.released.value == 2 * LateTasks.rounds)
  }

  @Test func aThousandThreadsLeaveNothingBehind() {
    let alive = Atomic(0)
    func round(_ threads: Int) {
      for _ in 0..<threads {
        onLoopThread {
          let token = Token { alive.subtract(1, ordering: .relaxed) }
          alive.add(1, ordering: .relaxed)
          for timing in RunLoopTask.Timing.allCases {
            RunLoop.current.perform { token.use() }.when(timing).forModes(.default, .custom)
            RunLoop.current.perform { token.use() }.when(timing).forModes(.common)
          }
          RunLoop.current.perform { token.use() }.when(.currentLoopEnded)
          RunLoop.current.runPass(mode: .other)
          poll()
        }
      }
      waitUntil { alive.load(ordering: .relaxed) == 0 }
    }
    round(50)
    let engines = (1...50).map { _ in
      onLoopThread {
        RunLoop.current.perform {}.when(.idle)
        return WeakScheduler.current
      }
    }
    waitUntil { engines.allSatisfy(\.isReleased) }
    let before = openFileDescriptors()
    round(1_000)
    // Other tests open files at the same time. On Linux a thousand leaked loops would hold thousands of descriptors. On
    // Apple's platforms a loop holds none, and the package must not open any.
    if let before { waitUntil { openFileDescriptors()! < before + 500 } }
  }

  // MARK: after the end

  @Test func aQueueOfALoopThatEndedReturnsCancelledTasks() {
    let (queue, keys) = (endedQueue(), Keys())
    let task = queue.perform(coalescedBy: keys(1), closure(whenReleased: { log("released") }))
    log("\(task.state) \(task.cancel()), \(keys.held) keys")
    #expect(log.events == ["released", "cancelled false, 0 keys"])
    queue.cancelAll()
    queue.cancelTask(coalescedBy: 1)
    queue.budget = .seconds(1)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 1...5_000 { queue.perform {} }
    }
    #expect(queue.count == 0)
  }

  #if os(macOS) || os(Linux)  // Other platforms have no exit tests.
    /// It has no effect there, because the task may be one of the thread's own loop.
    @Test func anOptionThatIsChainedAsAnotherThreadEndsTouchesNothing() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        chainAsAnotherThreadEnds()
      }
    }
  #endif
}

private func chainAsAnotherThreadEnds() {
  let task = RunLoop.current.perform(when: .idle) {}
  RunLoop.current.perform(when: .idle) {}  // so that the task is in line
  JoinableThread {
    RunLoop.current.perform(when: .idle) {}
    pthread_setspecific(chainingKey, Unmanaged.passRetained(task).toOpaque())
  }.join()
}

/// The number of open file descriptors; `nil` if it is unknown.
private func openFileDescriptors() -> Int? {
  try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
}

/// Thread-specific data of other code, which uses the loop in each round in which the system releases it.
private final class LateTasks: Sendable {
  #if canImport(Darwin)
    static let rounds = 4
  #else
    static let rounds = 2  // CoreFoundation crashes in the third round, and the thread sanitizer in the fourth.
  #endif

  let tasks = Box<[RunLoopTask]>([])
  /// The states of the latest tasks as they were scheduled.
  let latestStates = Box<[RunLoopTask.State]>([])
  let released = Counter()

  /// - Returns: whether there are more rounds.
  func endRound() -> Bool {
    let release = { @Sendable [released] in _ = released.count() }
    RunLoop.current.advance(by: .seconds(1), mode: .custom)
    let new = [
      RunLoop.current.perform(closure(whenReleased: release)).when(.idle),
      RunLoop.current.taskQueue.perform(closure(whenReleased: release)),
    ]
    latestStates.value = new.map(\.state)
    tasks.add(new)
    return tasks.value.count < 2 * Self.rounds
  }
}

private let lateKey = threadDataKey { value in
  let value: UnsafeMutableRawPointer? = value  // optional on Linux only
  let late = Unmanaged<LateTasks>.fromOpaque(value!)
  if late.takeUnretainedValue().endRound() { pthread_setspecific(lateKey, value) } else { late.release() }
}

/// Chains in the second round, when the thread's own loop has certainly ended.
private let chainingKey = threadDataKey { value in
  let value: UnsafeMutableRawPointer? = value  // optional on Linux only
  guard chainingRounds.count() == 2 else { return _ = pthread_setspecific(chainingKey, value) }
  Unmanaged<RunLoopTask>.fromOpaque(value!).takeRetainedValue().forModes(.default, .custom)
}

private let chainingRounds = Counter()

#if canImport(Darwin)
  private typealias ThreadDataDestructor = @convention(c) (UnsafeMutableRawPointer) -> Void
#else
  private typealias ThreadDataDestructor = @convention(c) (UnsafeMutableRawPointer?) -> Void
#endif

/// A key of thread-specific data, like that of other libraries. The system calls `destructor` as a thread ends.
private func threadDataKey(_ destructor: ThreadDataDestructor) -> pthread_key_t {
  var key = pthread_key_t()
  pthread_key_create(&key, destructor)
  return key
}
