import Foundation
import RunLoopTasks
import Testing

/// What keeps a `RunLoopThread` running: references to it, and to queues that came from it.
@Suite(.onOwnLoop) struct ThreadReferenceTests {
  private let log = Log()

  enum LastReference: CaseIterable { case ofItsOwner, ofItsOwnerWhileATaskWaits, ofItsOwnTask }

  @Test(arguments: LastReference.allCases) func releasingTheThreadStopsIt(_ reference: LastReference) {
    let queue: RunLoopTaskQueue = {
      let thread = RunLoopThread(name: "worker")
      let queue = thread.looseQueue
      switch reference {
      case .ofItsOwner: log("released")
      case .ofItsOwnerWhileATaskWaits:
        thread.taskQueue.perform(after: .seconds(3_000), closure(whenReleased: { log("released") }))
      case .ofItsOwnTask: thread.taskQueue.perform { withExtendedLifetime(thread) { log("released") } }
      }
      return queue
    }()
    waitUntil { log.events == ["released"] && queue.perform {}.state == .cancelled }
  }

  // MARK: queues

  /// Swift releases the thread before it calls `perform`.
  @Test func theQueueOfAThreadThatNobodyHoldsPerforms() {
    let ran = Counter()  // whose atomic steps the thread sanitizer sees
    for _ in 1...1_000 { RunLoopThread(name: "worker").taskQueue.perform { ran.count() } }
    waitUntil { ran.value == 1_000 }
  }

  @Test func aQueueOfTheThreadKeepsItRunning() {
    let (hasEnded, ran) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let queues = Box<[RunLoopTaskQueue]>([])
    do {
      let queue = watchedThread(hasEnded).taskQueue
      queues.value = [queue, queue]
    }
    for _ in 1...2 {
      for _ in 1...10 {
        queues.value[0].perform(when: .idle) { ran.signal() }
        ran.waitOrDie("a task")
      }
      #expect(hasEnded.wait(timeout: .now()) == .timedOut)
      queues.value.removeLast()
    }
    hasEnded.waitOrDie("the end of the thread")
  }

  @Test func theClockOfTheQueueKeepsTheThreadRunning() async throws {
    try await RunLoopThread(name: "worker").taskQueue.clock.sleep(for: .milliseconds(1))
  }

  @Test func theQueueThatIsReadOnTheThreadDoesNotKeepIt() {
    let hasEnded = DispatchSemaphore(value: 0)
    let queue = watchedThread(hasEnded).looseQueue
    hasEnded.waitOrDie("the end of the thread")
    #expect(queue.perform {}.state == .cancelled)
  }

  @Test func queuesOfALoopAreEqualWhetherTheyKeepItsThreadOrNot() {
    let thread = RunLoopThread(name: "worker")
    #expect(thread.taskQueue == thread.looseQueue)
    #expect(Set([thread.taskQueue, thread.looseQueue]).count == 1)
    #expect(thread.taskQueue != RunLoopThread(name: "other").taskQueue)
  }

  enum Holder: CaseIterable { case task, taskOfTheLastPass, delayedTask, awaitedTask }

  /// The last reference is that of a closure, which the thread itself releases.
  @Test(arguments: Holder.allCases) func aTaskMayHoldTheLastQueue(_ holder: Holder) {
    let hasEnded = DispatchSemaphore(value: 0)
    do {
      let thread = watchedThread(hasEnded)
      let queue = thread.taskQueue
      switch holder {
      case .task: queue.perform { log("\(queue.count)") }
      case .taskOfTheLastPass:
        queue.perform(when: .currentLoopEnded) {
          thread.stop()
          queue.perform(when: .idle) { log("\(queue.count)") }
        }
      case .delayedTask: queue.perform(after: .milliseconds(1)) { log("\(queue.count)") }
      case .awaitedTask: Task { try await queue.run { log("\(queue.count)") } }
      }
    }
    hasEnded.waitOrDie("the end of the thread")
    #expect(log.events == ["0"])
  }

  // MARK: the end of the thread

  /// A destructor of thread-specific data shows that the thread itself ends, not only its loop.
  @Test(arguments: [true, false]) func releasingTheLastReferenceEndsTheThread(wasStopped: Bool) {
    let hasEnded = DispatchSemaphore(value: 0)
    do {
      let thread = watchedThread(hasEnded)
      if wasStopped {
        thread.stop()
        join(thread)
        #expect(hasEnded.wait(timeout: .now()) == .timedOut)  // The thread stays for the jobs of its actors.
      }
    }
    hasEnded.waitOrDie("the end of the thread")
  }

  @Test func aNestedRunGoesOnAfterTheLastReference() {
    let (isReleased, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    do {
      let thread = watchedThread(hasEnded)
      thread.taskQueue.perform {
        isReleased.waitOrDie("the release")
        let end = Date(timeIntervalSinceNow: 0.02)
        RunLoop.current.run(until: end)
        log("\(Date() >= end)")
      }
    }
    isReleased.signal()
    hasEnded.waitOrDie("the end of the thread")
    #expect(log.events == ["true"])
  }

  @Test func aTaskKeepsItsThreadUntilItHasEnded() async {
    let mayEnd = Counter()
    let (task, queue) = {
      let thread = RunLoopThread(name: "worker")
      thread.taskQueue.perform(forModes: [.other], closure(whenReleased: { log("released") }))
      let task = Task(executorPreference: thread) { while mayEnd.value == 0 { await Task.yield() } }
      return (task, thread.looseQueue)
    }()
    for _ in 1...20 { await Task.yield() }
    #expect(queue.count == 1)
    mayEnd.count()
    await task.value
    await eventually { log.events == ["released"] }
  }
}

/// A thread that signals when the system has ended it, and not only its loop.
private func watchedThread(_ hasEnded: DispatchSemaphore) -> RunLoopThread {
  let (thread, isSet) = (RunLoopThread(name: "worker"), DispatchSemaphore(value: 0))
  thread.taskQueue.perform {
    Thread.current.threadDictionary["token"] = Token { hasEnded.signal() }
    isSet.signal()
  }
  isSet.waitOrDie("a task of the thread")
  return thread
}
