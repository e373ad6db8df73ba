import Foundation
import RunLoopTasks
import Testing

/// Contract, sections 2, 4, 5 and 7: where the program stops, and what it says then.
@Suite struct ProgramStopTests {
  @Test func performOnAnotherThreadsLoop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RunLoop.main.perform {}.when(.currentLoopEnded)
    }
    expect(
      result, says: "RunLoop.perform(_:) must be called on the loop's own thread",
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

  @Test func noModeInAListOfNone() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      currentLoop().perform {}.when(.idle).forModes()
    }
    expect(
      result, says: "RunLoopTask.forModes(_:) of the task scheduled at RunLoopTasksTests/ProgramStopTests.swift:",
      and: "needs at least one mode")
  }

  @Test func noModeInAnEmptySequence() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      currentLoop().perform {}.when(.idle).forModes([])
    }
    expect(
      result, says: "RunLoopTask.forModes(_:) of the task scheduled at RunLoopTasksTests/ProgramStopTests.swift:",
      and: "needs at least one mode")
  }

  @Test func noModeForAQueue() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RunLoopTaskQueue.main.perform(forModes: []) {}
    }
    expect(
      result, says: "RunLoopTaskQueue.perform(when:) needs at least one mode", and: "never run")
  }

  @Test func noModeForAnAwaitedTask() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await RunLoopTaskQueue.main.run(forModes: []) {}
    }
    expect(result, says: "RunLoopTaskQueue.run(when:) needs at least one mode", and: "never run")
  }

  @Test func noModeForTheMainActor() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      MainActor.perform(forModes: []) {}
    }
    expect(result, says: "MainActor.perform(when:) needs at least one mode", and: "never run")
  }

  @Test func aBudgetOfNothing() async {
    let zero = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RunLoopTaskQueue.main.budget = .zero
    }
    expect(zero, says: "RunLoopTaskQueue.budget must be more than zero, not 0.0 seconds", and: "set nil")
    let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RunLoopTaskQueue.main.budget = .milliseconds(-4)
    }
    expect(negative, says: "RunLoopTaskQueue.budget must be more than zero, not -0.004 seconds", and: "set nil")
  }

  @Test func theQueueOfAnotherThreadsLoop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = await otherThreadsLoop().loop.taskQueue
    }
    expect(result, says: "RunLoop.taskQueue of a loop that is not the main one", and: "pass the RunLoopTaskQueue on")
  }

  @Test func drivingAnotherThreadsLoop() async {
    let pass = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RunLoop.main.runPass()
    }
    expect(pass, says: "RunLoop.runPass(mode:) must be called on the loop's own thread", and: "no other")
    let passes = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RunLoop.main.runUntilTasksFinish()
    }
    expect(passes, says: "RunLoop.runUntilTasksFinish(mode:timeout:) must be called on the loop's own", and: "no other")
  }

  @Test func drivingTheCommonModes() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      currentLoop().runPass(mode: .common)
    }
    expect(result, says: "RunLoop.runPass(mode:) needs a single mode", and: "pass .default")
  }

  @Test func sourcesOfAnotherThreadsLoop() async {
    let adding = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await otherThreadsLoop().loop.add(RunLoopSource<Int> { _ in }, forMode: .default)
    }
    expect(
      adding, says: "RunLoop.add(_:forMode:) must be called on the loop's own thread",
      and: "queue.perform { RunLoop.current.add(source, forMode: …) }")
    let removing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await otherThreadsLoop().loop.remove(RunLoopSource<Int> { _ in }, forMode: .default)
    }
    expect(
      removing, says: "RunLoop.remove(_:forMode:) must be called on the loop's own thread",
      and: "queue.perform { RunLoop.current.remove(source, forMode: …) }")
  }

  @Test func observingAnotherThreadsLoop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = await otherThreadsLoop().loop.observe(.all) { _ in }
    }
    expect(
      result, says: "RunLoop.observe(_:forModes:order:repeats:_:) must be called on the loop's own thread",
      and: "RunLoop.current.observe(…)")
  }

  @Test func observingInNoMode() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = currentLoop().observe(.all, forModes: []) { _ in }
    }
    expect(result, says: "RunLoop.observe(_:forModes:order:repeats:_:) needs at least one mode", and: "is never called")
  }

  @Test func joiningTheThreadItself() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let thread = RunLoopThread(name: "a resident")
      try await thread.taskQueue.run { thread.join() }
    }
    expect(result, says: "RunLoopThread.join() was called on the thread itself", and: "call it on another one")
  }

  @Test func joiningTheThreadItselfAtItsEnd() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let thread = RunLoopThread(name: "a resident")
      let source = RunLoopSource<Int>(onCancel: { _ in thread.join() }, perform: { _ in })
      try await thread.taskQueue.run { RunLoop.current.add(source, forMode: .default) }
      thread.stop()
      while true { sleep(1) }
    }
    expect(result, says: "RunLoopThread.join() was called on the thread itself", and: "call it on another one")
  }

  @Test func aThreadWithoutAStack() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RunLoopThread(name: "a resident", stackSize: 0)
    }
    expect(result, says: "RunLoopThread needs a stack", and: "not 0, or nil")
  }

  @Test func noKeyForTheDataOfAThread() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var key = pthread_key_t()
      while pthread_key_create(&key, nil) == 0 {}
      currentLoop().perform {}.when(.idle)
    }
    expect(result, says: "RunLoopTasks found no free key for thread-specific data", and: "(error \(EAGAIN))")
  }

  @Test func assumingTheIsolationOfAThreadElsewhere() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Resident().assumeItIsHere()
    }
    expect(result, says: "Code that assumes the isolation of an actor on a RunLoopThread", and: "another thread")
  }

  private actor Resident {
    let thread = RunLoopThread(name: "a resident")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private var work = 0

    func doSomething() { work += 1 }
    nonisolated func assumeItIsHere() { assumeIsolated { _ in } }
  }

  private func expect(_ result: ExitTest.Result?, says message: String, and remedy: String) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("Fatal error: \(message)"))
    #expect(output.contains(remedy))
  }
}

/// `RunLoop.current`, which async code may not name.
private func currentLoop() -> RunLoop { .current }

private struct OthersLoop: @unchecked Sendable {
  let loop: RunLoop
}

/// The loop of a thread that waits for the end of the process.
private func otherThreadsLoop() async -> OthersLoop {
  await withCheckedContinuation { continuation in
    Thread {
      continuation.resume(returning: OthersLoop(loop: .current))
      while true { sleep(1) }
    }.start()
  }
}
