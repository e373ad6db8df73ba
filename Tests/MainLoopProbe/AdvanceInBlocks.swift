import Foundation
import RunLoopTasks
import RunLoopVirtualTime

/// Calls of `advance(by:)` where no blocks of the main queue are served, or no jobs of the thread.
func advance(_ place: String) {
  switch place {
  case "in a block before code has begun":
    DispatchQueue.main.async {
      sleepOnMainActor()
      advanceTwice()
    }
    for _ in 1...3 { RunLoop.main.runPass() }
  case "in a block":
    sleepOnMainActor()
    RunLoop.main.advance(by: .zero)
    DispatchQueue.main.async { advanceTwice() }
    for _ in 1...3 { RunLoop.main.runPass() }
    RunLoop.main.advance(by: .zero)
  case "in a block without async code":
    DispatchQueue.main.async {
      RunLoop.main.perform { say("task") }.after(.seconds(1_000))
      RunLoop.main.advance(by: .seconds(1_000))
      say("advanced")
    }
    for _ in 1...3 { RunLoop.main.runPass() }
  case "in a job":
    let (thread, isOver) = (RunLoopThread(name: "loop"), DispatchSemaphore(value: 0))
    let actor = AdvancingActor(thread)
    Task.detached {
      await actor.advance()
      try await thread.taskQueue.run { _ = RunLoop.current.advance(by: .seconds(2)) }
      isOver.signal()
    }
    isOver.wait()
  default: fatalError("no such place: \(place)")
  }
}

private func sleepOnMainActor() {
  Task { @MainActor in
    try await RunLoopTaskQueue.main.clock.sleep(for: .seconds(1_000))
    say("slept")
  }
}

private func advanceTwice() {
  for _ in 1...2 {
    RunLoop.current.advance(by: .seconds(2_000))
    say("advanced")
  }
}

private actor AdvancingActor {
  private let thread: RunLoopThread
  private var calls = 0
  init(_ thread: RunLoopThread) { self.thread = thread }
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  func advance() {
    Task {
      calls += 1  // a use of the actor
      try await thread.taskQueue.clock.sleep(for: .seconds(1))
      say("slept")
    }
    advanceTwice()
  }
}
