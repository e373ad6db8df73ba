import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 5: `ended()`, and the jobs of a thread's actors after its loop has ended.
@Suite struct ThreadEndingTests {
  private actor Resident {
    let thread: RunLoopThread
    private var isReleased = false
    private var continuation: CheckedContinuation<Void, Never>?

    init(_ thread: RunLoopThread) { self.thread = thread }

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Suspends until `resume`, and tells the threads before and after.
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

    /// What a late job can still do with the loop.
    func schedule() -> (RunLoopTask.State, Bool) {
      isReleased = true
      let task = RunLoop.current.perform {}.when(.currentLoopEnded)
      let source = RunLoopSource<Int> { _ in }
      RunLoop.current.add(source, forMode: .default)
      return (task.state, thread.taskQueue.perform {}.state == .cancelled)
    }

    func numbers(_ count: Int) async -> Bool {
      let own = ThreadID.current
      for _ in 1...count {
        await Task.yield()
        isReleased.toggle()
        if ThreadID.current != own { return false }
      }
      return true
    }
  }

  /// Thread identifiers may be used again, so the name is asked for too.
  @Test func aSuspendedMethodGoesOnOnTheThread() async {
    let thread = RunLoopThread(name: "a resident")
    let (actor, hasBegun) = (Resident(thread), Counter())
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

  /// Many methods, each suspended at another place when the thread is stopped.
  @Test func manySuspendedMethodsGoOn() async {
    for round in 1...20 {
      let thread = RunLoopThread(name: "a resident")
      let actors = (1...5).map { _ in Resident(thread) }
      let methods = actors.flatMap { actor in
        (1...5).map { number in Task { await actor.numbers(number * 20) } }
      }
      if round % 2 == 0 { await Task.yield() }
      thread.stop()
      for method in methods { #expect(await method.value) }
    }
  }

  @Test func aCallThatBeginsAfterTheEndStillRunsOnTheThread() async throws {
    let thread = RunLoopThread(name: "a resident")
    let own = try await thread.taskQueue.run { ThreadID.current }
    let actor = Resident(thread)
    thread.stop()
    await thread.ended()
    #expect(await actor.waitForEnd() == own)
    #expect(await actor.numbers(100))
  }

  @Test func afterTheEndNoTaskRuns() async throws {
    let thread = RunLoopThread(name: "a resident")
    let pending = thread.taskQueue.perform(after: .seconds(3_000)) {}
    let actor = Resident(thread)
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
    let thread = RunLoopThread(name: "a resident")
    let hasEnded = Box(false)
    let waiting = (1...10).map { _ in
      Task {
        await thread.ended()
        hasEnded.value = true
        return thread.taskQueue.perform {}.state
      }
    }
    for _ in 1...20 { await Task.yield() }
    #expect(!hasEnded.value)  // it does not stop the thread
    thread.stop()
    for task in waiting { #expect(await task.value == .cancelled) }
    await thread.ended()  // and once more
  }

  @Test func anActorOfTheThreadMayWaitForItsEnd() async {
    let thread = RunLoopThread(name: "a resident")
    let (actor, hasBegun) = (Resident(thread), Counter())
    let other = Task { await actor.suspended(hasBegun) }
    await eventually { hasBegun.value == 1 }
    let waiting = Task { await actor.waitForEnd() }
    await Task.yield()
    thread.stop()
    let own = await waiting.value
    await actor.takeContinuation()?.resume()
    #expect(await other.value == [own, own])
  }

  @Test func aThreadThatATaskEndsHasEnded() async {
    let thread = RunLoopThread(name: "a resident")
    thread.taskQueue.perform { Thread.exit() }
    await thread.ended()
    #expect(thread.taskQueue.perform {}.state == .cancelled)
  }

  // MARK: nobody refers to it

  @Test func aThreadThatNobodyRefersToEndsThoughATaskWaits() {
    let released = Counter()
    let queue: RunLoopTaskQueue = {
      let thread = RunLoopThread(name: "a resident")
      let token = Token { released.count() }
      thread.taskQueue.perform(after: .seconds(3_000)) { token.use() }
      return thread.taskQueue
    }()
    waitUntil { released.value == 1 && queue.perform {}.state == .cancelled }
  }

  /// The thread itself goes, not only its loop: what a destructor of its data tells.
  @Test(arguments: [true, false]) func theThreadGoesWithItsLastReference(wasStopped: Bool) {
    let isGone = DispatchSemaphore(value: 0)
    do {
      let thread = RunLoopThread(name: "a resident")
      let isSet = DispatchSemaphore(value: 0)
      thread.taskQueue.perform {
        Thread.current.threadDictionary["token"] = Token { isGone.signal() }
        isSet.signal()
      }
      isSet.waitOrDie("the task")
      if wasStopped {
        thread.stop()
        elsewhere { thread.join() }
        #expect(isGone.wait(timeout: .now()) == .timedOut)  // it stays for the jobs of its actors
      }
    }
    isGone.waitOrDie("the thread")
  }

  /// An actor refers to it, and is released by its own last job.
  @Test func theLastJobMayReleaseIt() async {
    let queue = await {
      let actor = Resident(RunLoopThread(name: "a resident"))
      _ = await actor.numbers(3)
      return actor.thread.taskQueue
    }()
    await eventually { queue.perform {}.state == .cancelled }
  }
}
