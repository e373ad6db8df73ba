import Foundation
import RunLoopTasks

// What Swift's tasks do again and again.

private struct Refusal: Error {}

/// Awaits a task of a loop. Cancels the wait now and then.
func awaitTask(_ random: inout Random) async {
  let loop = SoakLoop.busy(&random)
  let (held, runs, sweepsBefore) = (Held(.closures), Counter(), loop.sweepsEnded)
  let (value, isRefused) = (random.number(below: 1_000), random.once(in: 8))
  let body: @Sendable () throws -> Int = {
    held.use()
    runs.add()
    if isRefused { throw Refusal() }
    return value
  }
  // No loop runs in the second mode, so only the cancellation ends the wait.
  let mode = random.pick([RunLoop.Mode.default, .default, .default, .neverRun])
  let isCancelled = mode == .neverRun || random.once(in: 4)
  let (timing, delay) = (random.pick(RunLoopTask.Timing.allCases), Duration.microseconds(random.number(below: 100)))
  let work = Task {
    if loop.isMain { return try await MainActor.run(when: timing, after: delay, forModes: [mode], body) }
    return try await loop.queue.run(when: timing, after: delay, forModes: [mode], body)
  }
  if isCancelled {
    for _ in 0..<random.number(below: 4) { await Task.yield() }
    work.cancel()
  }
  let result = await work.result
  Count.awaited.add()
  let isRight =
    switch result {
    case .success(value): !isRefused && runs.value == 1
    case .failure(is Refusal): isRefused && runs.value == 1
    case .failure(is CancellationError): runs.value == 0 && (isCancelled || loop.mayHaveSwept(since: sweepsBefore))
    default: false
    }
  if !isRight { complain("run() on \(loop) returned \(result) after \(runs.value) runs of its body") }
}

/// Sleeps by the clock of a loop, which may end meanwhile.
func sleepByClock(_ random: inout Random) async {
  let clock = SoakLoop.busy(&random).queue.clock
  let end = clock.now.advanced(by: .microseconds(random.number(below: 2_000)))
  let sleep = Task { try await clock.sleep(until: end) }
  if random.once(in: 4) { sleep.cancel() }
  if case .success = await sleep.result, clock.now < end { complain("a sleep ended too early") }
  Count.awaited.add()
}

/// An actor on a thread of its own.
private actor ThreadActor {
  let thread = RunLoopThread(name: "soak actor")
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
  private(set) var calls = 0

  /// - Parameter loop: a loop that the call awaits before it counts.
  func call(through loop: SoakLoop?) async {
    if let loop { _ = try? await loop.queue.run { loop.isOwnThread } }
    thread.checkIsolated()
    calls += 1
    Count.awaited.add()
  }
}

/// Starts a thread for an actor and for other async code. Several tasks call both and await other loops.
func useThreadOfActor(_ random: inout Random) async {
  let (callers, calls) = (4, 8)
  let threadActor = ThreadActor()
  let thread = threadActor.thread
  await withTaskGroup(of: Void.self) { group in
    for caller in 0..<callers {
      let loop = SoakLoop.busy(&random)
      group.addTask {
        for call in 0..<calls { await threadActor.call(through: call % callers == caller ? loop : nil) }
      }
      group.addTask(executorPreference: thread) {
        thread.checkIsolated()
        _ = try? await loop.queue.run {}
      }
    }
    // Its jobs go on when its loop has ended.
    if random.once(in: 4) { thread.stop() }
  }
  if await threadActor.calls != callers * calls { complain("some calls of an actor are missing") }
  if random.once(in: 2) {
    thread.stop()
    await thread.join()
  }  // otherwise it stops with the last reference to it
}
