#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// The message of a program that stops because of a call for a `RunLoopThread`.
  @Suite struct ThreadMisuseTests {
    @Test func stackOfSizeZero() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = RunLoopThread(name: "worker", stackSize: 0)
      }
      expect(result, says: "RunLoopThread needs a stack", and: "not 0, or nil")
    }

    @Test func joinOnTheThreadItself() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let thread = RunLoopThread(name: "worker")
        try await thread.taskQueue.run { thread.join() }
      }
      expect(result, says: "RunLoopThread.join() was called on the thread itself", and: "call it on another one")
    }

    @Test func joinOnTheThreadItselfAtItsEnd() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let thread = RunLoopThread(name: "worker")
        let source = RunLoopSource<Int>(onCancel: { _ in thread.join() }, perform: { _ in })
        try await thread.taskQueue.run { RunLoop.current.add(source, forMode: .default) }
        thread.stop()
        while true { sleep(1) }
      }
      expect(result, says: "RunLoopThread.join() was called on the thread itself", and: "call it on another one")
    }

    /// Swift asks the executor and has a message of its own, or lets the executor stop the program.
    @Test func assumeIsolatedOnAnotherThread() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        ThreadActor().assumeIsolation()
      }
      if #available(macOS 26, *) {
        expect(result, says: "Incorrect actor executor assumption", and: "ThreadActor")
      } else {
        expect(result, says: "Code that assumes the isolation of an actor on a RunLoopThread", and: "another thread")
      }
    }

    @Test func checkIsolatedOnAnotherThread() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        RunLoopThread(name: "worker").checkIsolated()
      }
      expect(result, says: "Code that assumes the isolation of an actor on a RunLoopThread", and: "another thread")
    }
  }

  extension ThreadActor {
    nonisolated fileprivate func assumeIsolation() { assumeIsolated { _ in } }
  }
#endif
