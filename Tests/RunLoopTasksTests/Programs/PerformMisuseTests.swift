#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// The message of a program that stops because the current thread cannot use the loop.
  @Suite struct PerformMisuseTests {
    @Test func performOnAnotherThreadsLoop() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        synchronously { RunLoop.main.perform {}.when(.currentLoopEnded) }
      }
      expect(
        result, says: "RunLoop.perform(_:) must be called on the loop's own thread",
        and: "MainActor.perform(when: .currentLoopEnded)")
    }

    @Test func performWithArgumentsOnAnotherThreadsLoop() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        synchronously { RunLoop.main.perform(when: .idle) {} }
      }
      expect(
        result, says: "RunLoop.perform(when:) must be called on the loop's own thread",
        and: "MainActor.perform(when: .currentLoopEnded)")
    }

    @Test func performOnAnotherThreadsLoopAtTheEndOfAThread() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        onLoopThread {
          let token = Token { RunLoop.main.perform {}.when(.currentLoopEnded) }
          currentLoop().perform { token.use() }.when(.idle)
        }
        while true { sleep(1) }
      }
      expect(
        result, says: "RunLoop.perform(_:) must be called on the loop's own thread",
        and: "MainActor.perform(when: .currentLoopEnded)")
    }

    @Test func taskQueueOfAnotherThreadsLoop() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = await otherThreadsLoop().loop.taskQueue
      }
      expect(result, says: "RunLoop.taskQueue of a loop that is not the main one", and: "pass the RunLoopTaskQueue on")
    }

    @Test func noFreeKeyForThreadSpecificData() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var key = pthread_key_t()
        while pthread_key_create(&key, nil) == 0 {}
        synchronously { RunLoop.current.perform {}.when(.idle) }
      }
      expect(result, says: "RunLoopTasks found no free key for thread-specific data", and: "(error \(EAGAIN))")
    }
  }
#endif
