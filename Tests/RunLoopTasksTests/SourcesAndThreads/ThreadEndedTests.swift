import Foundation
import RunLoopTasks
import Testing

/// `RunLoopThread.ended`, and the jobs of a thread's actors after its loop has ended.
@Suite struct ThreadEndedTests {
  private actor SuspendingActor {
    let thread: RunLoopThread
    private var isReleased = false
    private var continuation: CheckedContinuation<Void, Never>?

    init(_ thread: RunLoopThread) { self.thread = thread }

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Suspends until the continuation is resumed, and returns the threads before and after.
    func suspended(_ hasBegun: Counter) async -> [ThreadID] {
      let before = ThreadID.current
      await withCheckedContinuation {
        continuation = $0
        hasBegun.count()
      }
      return [before, .current]
    }

    func takeContinuation() -> CheckedContinuation<Void, Never>? {
      defer { continuation = nil }
      return continuation
    }

    func waitForEnd() async -> ThreadID {
      isReleased = true
      await thread.ended()
      return .current
    }

    /// Uses the loop after its end.
    func schedule() -> (RunLoopTask.State, Bool) {
      isReleased = true
      let task = RunLoop.current.perform {}.when(.currentLoopEnded)
      let source = RunLoopSource<Int> { _ in }
      RunLoop.current.add(source, forMode: .default)
      return (task.state, thread.taskQueue.perform {}.state == .cancelled)
    }

    func staysOnItsThread(yields count: Int) async -> Bool {
      let own = ThreadID.current
      for _ in 1...count {
        await Task.yield()
        isReleased.toggle()
        if ThreadID.current != own { return false }
      }
      return true
    }
  }

  @Test func aSuspendedMethodResumesOnTheThread() async {
    let thread = RunLoopThread(name: "worker")
    let (actor, hasBegun) = (SuspendingActor(thread), Counter())
    let method = Task { await actor.suspended(hasBegun) }
    await eventually { hasBegun.value == 1 }
    let continuation = await actor.takeContinuation()
    thread.stop()
    await thread.ended()
    continuation?.resume()
    let threads = await method.value
    #expect(threads[0] == threads[1])
    withExtendedLifetime(thread) {}
  }

  /// Each method is suspended at another point when the thread stops.
  @Test func manySuspendedMethodsResumeOnTheThread() async {
    for round in 1...20 {
      let thread = RunLoopThread(name: "worker")
      let actors = (1...5).map { _ in SuspendingActor(thread) }
      let methods = actors.flatMap { actor in
        (1...5).map { number in Task { await actor.staysOnItsThread(yields: number * 20) } }
      }
      if round % 2 == 0 { await Task.yield() }
      thread.stop()
      for method in methods { #expect(await method.value) }
    }
  }

  @Test func aMethodCalledAfterTheEndRunsOnTheThread() async throws {
    let thread = RunLoopThread(name: "worker")
    let own = try await thread.taskQueue.run { ThreadID.current }
    let actor = SuspendingActor(thread)
    thread.stop()
    await thread.ended()
    #expect(await actor.waitForEnd() == own)
    #expect(await actor.staysOnItsThread(yields: 100))
  }

  @Test func noTaskRunsAfterTheEnd() async throws {
    let thread = RunLoopThread(name: "worker")
    let pending = thread.taskQueue.perform(after: .seconds(3_000)) {}
    let actor = SuspendingActor(thread)
    thread.stop()
    await thread.ended()
    #expect(pending.state == .cancelled)
    let (state, isCancelled) = await actor.schedule()
    #expect(state == .cancelled && isCancelled)
    #expect(thread.taskQueue.count == 0)
    await #expect(throws: CancellationError.self) { try await thread.taskQueue.run {} }
  }

  // MARK: ended()

  @Test func endedReturnsOnceTheLoopHasEnded() async {
    let thread = RunLoopThread(name: "worker")
    let hasEnded = Box(false)
    let waiting = (1...10).map { _ in
      Task {
        await thread.ended()
        hasEnded.value = true
        return thread.taskQueue.perform {}.state
      }
    }
    for _ in 1...20 { await Task.yield() }
    #expect(!hasEnded.value)  // `ended` does not stop the thread.
    thread.stop()
    for task in waiting { #expect(await task.value == .cancelled) }
    await thread.ended()  // returns at once
  }

  @Test func anActorOfTheThreadMayWaitForItsEnd() async {
    let thread = RunLoopThread(name: "worker")
    let (actor, hasBegun) = (SuspendingActor(thread), Counter())
    let other = Task { await actor.suspended(hasBegun) }
    await eventually { hasBegun.value == 1 }
    let waiting = Task { await actor.waitForEnd() }
    await Task.yield()
    thread.stop()
    let own = await waiting.value
    await actor.takeContinuation()?.resume()
    #expect(await other.value == [own, own])
  }

  // MARK: the last reference

  @Test func releasingTheThreadEndsItAlthoughATaskWaits() {
    let released = Counter()
    let queue: RunLoopTaskQueue = {
      let thread = RunLoopThread(name: "worker")
      let token = Token { released.count() }
      thread.taskQueue.perform(after: .seconds(3_000)) { token.use() }
      return thread.taskQueue
    }()
    waitUntil { released.value == 1 && queue.perform {}.state == .cancelled }
  }

  /// A destructor of thread-specific data shows that the thread itself ends, not only its loop.
  @Test(arguments: [true, false]) func releasingTheLastReferenceEndsTheThread(wasStopped: Bool) {
    let hasEnded = DispatchSemaphore(value: 0)
    do {
      let thread = RunLoopThread(name: "worker")
      let isSet = DispatchSemaphore(value: 0)
      thread.taskQueue.perform {
        Thread.current.threadDictionary["token"] = Token { hasEnded.signal() }
        isSet.signal()
      }
      isSet.waitOrDie("the task")
      if wasStopped {
        thread.stop()
        join(thread)
        #expect(hasEnded.wait(timeout: .now()) == .timedOut)  // The thread stays for the jobs of its actors.
      }
    }
    hasEnded.waitOrDie("the end of the thread")
  }

  /// The actor has the last reference, and its own last job releases the actor.
  @Test func theLastJobMayReleaseTheThread() async {
    let queue = await {
      let actor = SuspendingActor(RunLoopThread(name: "worker"))
      _ = await actor.staysOnItsThread(yields: 3)
      return actor.thread.taskQueue
    }()
    await eventually { queue.perform {}.state == .cancelled }
  }
}
