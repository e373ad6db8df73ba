import Foundation
import RunLoopTasks
import RunLoopTesting
import Testing

@Suite(.ownRunLoop) struct OwnRunLoopTests {
  private static let loops = Locked<[RunLoopTaskQueue]>([])

  @Test func aSynchronousTestDrivesItsLoop() {
    var searches = 0
    RunLoop.current.perform { searches += 1 }.after(.seconds(300))
    #expect(searches == 0)
    RunLoop.current.advance(by: .seconds(300))
    #expect(searches == 1)
    #expect(RunLoop.current !== RunLoop.main)
  }

  /// As far as it fits.
  @Test func theThreadHasTheNameOfTheTest() {
    #expect(Thread.current.name?.hasPrefix("theThreadHasThe") == true)
  }

  @Test func theLoopIsTheSameBehindAnAwait() async throws {
    let loop = currentLoop()
    for _ in 1...3 {
      await Task.yield()
      #expect(currentLoop() == loop)
      try await withMainRunLoop { _ in #expect(Thread.isMainThread) }
      #expect(currentLoop() == loop)
      #expect(await nested() == loop)
      async let child = nested()
      #expect(await child == loop)
    }
  }

  @concurrent private func nested() async -> ObjectIdentifier {
    await Task.yield()
    return currentLoop()
  }

  @Test(arguments: 1...20) func eachCaseHasALoopOfItsOwn(_ number: Int) {
    // The queue is kept, and so its loop's scheduler: no other loop can have its place in memory.
    let queue = RunLoop.current.taskQueue
    Self.loops.withLock { loops in
      #expect(!loops.contains(queue))
      loops.append(queue)
    }
  }

  // The limits that do not count are so short that any test exceeds them.
  @Suite(.ownRunLoop(timeLimit: .nanoseconds(1))) struct InnermostLimit {
    @Test(.ownRunLoop(timeLimit: .seconds(600))) func counts() {
      #expect(!RunLoop.current.runUntil(timeout: .milliseconds(50)) { false })
    }

    @Suite(.ownRunLoop(timeLimit: .seconds(600))) struct OfASuite {
      @Test func counts() { #expect(!RunLoop.current.runUntil(timeout: .milliseconds(50)) { false }) }
    }
  }
}

struct CancellationTests {
  @Test func aTestThatIsCancelledIsCancelledOnItsThread() async throws {
    let (hasBegun, begins) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await runWithTrait {
        begins.finish()
        while !Task.isCancelled { await Task.yield() }
      }
    }
    for await _ in hasBegun {}
    task.cancel()
    try await task.value
  }

  @Test func aTestThatIsCancelledBeforeItsTurnDoesNotBegin() async {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await runWithTrait { Issue.record("it has begun") }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

struct PlaceTests {
  @Test func aTestWithTwoTraitsHasOneThread() async throws {
    let (test, testCase) = (Test.current!, Test.Case.current)
    try await OwnRunLoop.ownRunLoop.provideScope(for: test, testCase: testCase) {
      let loop = currentLoop()
      try await OwnRunLoop.ownRunLoop.provideScope(for: test, testCase: testCase) { #expect(currentLoop() == loop) }
      #expect(currentLoop() == loop)
    }
  }

  @Test func asManyTestsRunAsThereArePlaces() async throws {
    let most = ProcessInfo.processInfo.activeProcessorCount + 2
    let (running, mostSeen) = (Count(), Count())
    try await withThrowingTaskGroup { group in
      for _ in 1...(3 * most) {
        group.addTask {
          try await runWithTrait {
            let now = running.add()
            if now > mostSeen.value { mostSeen.add(now - mostSeen.value) }
            await Task.yield()
            running.add(-1)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(running.value == 0)
    #expect(mostSeen.value <= most)
  }

  /// More tests than there are shared threads block at the same time, and the shared threads go on.
  @Test func noSharedThreadIsHeld() async throws {
    let semaphore = DispatchSemaphore(value: 0)
    let most = ProcessInfo.processInfo.activeProcessorCount + 1  // a place is left for the tests of other suites
    try await withThrowingTaskGroup { group in
      let started = Count()
      for _ in 1...most {
        group.addTask {
          try await runWithTrait {
            started.add()
            block(semaphore)
          }
        }
      }
      while started.value < most { try await Task.sleep(for: .milliseconds(1)) }
      await Task.detached {}.value
      for _ in 1...most { semaphore.signal() }
      try await group.waitForAll()
    }
  }
}

private func block(_ semaphore: DispatchSemaphore) { semaphore.wait() }
