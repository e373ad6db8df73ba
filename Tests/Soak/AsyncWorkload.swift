import Foundation
import RunLoopTasks

extension Workload {
  private struct Refusal: Error {}

  /// Awaits a task, and cancels some of the waits.
  mutating func awaitTask() async {
    let loop = random.pick(pool.busy)
    var request = Request.random(for: client, on: loop, &random)
    request.key = nil
    // No loop runs in this mode. Only the cancelling ends the wait.
    let isForEver = random.once(in: 8)
    if isForEver { request.modes = [.neverRun] } else if request.modes == [.custom] { request.modes = [.default] }
    let task = TrackedTask(request, on: loop, line: Line(), number: 1)
    let (value, isRefused) = (random.number(below: 1_000), random.once(in: 8))
    let isCancelled = isForEver || random.once(in: 4)
    let work = request.run(task) {
      if isRefused { throw Refusal() }
      return value
    }
    if isCancelled {
      for _ in 0..<random.number(below: 4) { await Task.yield() }
      work.cancel()
    }
    let result = await Monitor.watch("an await of \(task)") { await work.result }
    Count.awaited.add()
    switch result {
    case .success(value) where !isRefused && task.hasRun: break
    case .failure(is Refusal) where isRefused && task.hasRun: break
    case .failure(is CancellationError): task.judgeCancelled(isAskedFor: isCancelled)
    default: Monitor.complain("\(task): gave \(result) to the one who waits for \(isRefused ? "an error" : "\(value)")")
    }
  }

  /// Starts a thread for an actor, which is called from several tasks and awaits other loops.
  mutating func callActor() async {
    let (callers, calls) = (4, 8)
    let threadActor = ThreadActor()
    let loops = (0..<callers).map { _ in random.pick(pool.busy) }
    await Monitor.watch("the calls of an actor on a thread") {
      await withTaskGroup(of: Void.self) { group in
        for (caller, loop) in loops.enumerated() {
          group.addTask {
            for call in 0..<calls { await threadActor.call(through: call % callers == caller ? loop : nil) }
          }
        }
      }
      if await threadActor.calls != callers * calls {
        Monitor.complain("an actor was not called as often as it was asked to")
      }
    }
    if random.once(in: 2) { threadActor.thread.stop() }  // else it stops because nobody refers to it any more
  }
}

/// An actor that lives on a thread.
private actor ThreadActor {
  let thread = RunLoopThread(name: "soak actor")
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
  private(set) var calls = 0

  /// - Parameter loop: one to wait for before it is counted.
  func call(through loop: HostedLoop?) async {
    if let loop { _ = try? await loop.queue.run { loop.isOwnThread } }
    Count.actorCalls.add()
    thread.checkIsolated()
    calls += 1
  }
}
