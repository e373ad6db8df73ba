import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Synchronization

// A program with an `async` main that does not import `RunLoopMain`. On Linux it never runs the main loop. It prints
// one event a line, which `AsyncMainTests` compares.

/// Counts its releases.
final class Captured: Sendable {
  static let releases = Atomic(0)
  deinit { Self.releases.add(1, ordering: .relaxed) }
  func use() {}
}

/// Waits for what Dispatch does on another thread soon after the main thread has ended.
func eventually(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async {
  while !condition() { await Task.yield() }
}

/// Schedules tasks of the main loop in all ways. All of them capture one object.
func schedule(_ timing: RunLoopTask.Timing) -> [RunLoopTask] {
  let captured = Captured()
  return [
    MainActor.perform(when: timing) { captured.use() },
    MainActor.perform(when: timing, after: .seconds(3_000), coalescedBy: timing) { captured.use() },
    RunLoopTaskQueue.main.perform(when: timing) { captured.use() },
    RunLoop.main.taskQueue.perform(when: timing, forModes: [.common]) { captured.use() },
  ]
}

func sayCancellation(_ body: () async throws -> Void) async {
  do { try await body() } catch { print(error) }
}

func waitForMainLoop() {
  do { try RunLoopTaskQueue.main.performAndWait {} } catch { print(error) }
}

/// The loop of the current thread, from code that is not async.
@MainActor func useCurrentLoop(_ body: (RunLoop) -> Void) { body(.current) }

func isOnMainThread() -> Bool { Thread.isMainThread }

/// Waits until the main actor is no longer on the main thread, which may serve it once more before the thread ends.
@MainActor func leaveMainThread() async { while isOnMainThread() { await Task.detached {}.value } }

/// What stops the program on the main actor.
let stoppingCalls: [String: @MainActor (RunLoop) -> Void] = [
  "RunLoop.perform(_:)": { $0.perform {}.when(.currentLoopEnded) },
  "RunLoop.perform(when:)": { $0.perform(when: .currentLoopEnded) {} },
  "RunLoop.runPass(mode:)": { $0.runPass() },
  "RunLoop.advance(by:mode:)": { $0.advance(by: .seconds(1)) },
  "RunLoop.runUntil": { _ = $0.runUntil(timeout: .seconds(1)) { true } },
  "RunLoop.runUntilTasksFinish": { $0.runUntilTasksFinish() },
]

switch CommandLine.arguments.dropFirst().first {
case "tasks":
  for (index, timing) in RunLoopTask.Timing.allCases.enumerated() {
    let tasks = schedule(timing)
    await eventually { tasks.allSatisfy { $0.state == .cancelled } && RunLoopTaskQueue.main.count == 0 }
    await eventually { Captured.releases.load(ordering: .relaxed) > index }
    print(timing)
  }

case "awaited":
  for _ in 1...2 {
    await sayCancellation { try await RunLoopTaskQueue.main.run {} }
    await sayCancellation { try await MainActor.run(when: .idle) {} }
    await sayCancellation { try await MainActor.run(when: .currentLoopEnded, after: .seconds(3_000)) {} }
  }

case "waited for":
  // The first thread may begin to wait before Dispatch has the main thread.
  for _ in 1...2 {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        waitForMainLoop()
        continuation.resume()
      }
    }
  }
  await leaveMainThread()
  waitForMainLoop()  // on the main actor

case "handle":
  let queue = RunLoopTaskQueue.main
  await Task.detached { await sayCancellation { try await queue.run {} } }.value

case "nothing dropped":
  guard RunLoopTaskQueue.main.count == 0 else { break }
  RunLoopTaskQueue.main.cancelAll()
  let thread = RunLoopThread(name: "worker")
  let pending = thread.taskQueue.perform(after: .seconds(3_000)) {}
  thread.stop()
  await { await thread.join() }()  // at the top level, the compiler finds only the other `join`
  print(pending.state, thread.taskQueue.perform {}.state)
  await sayCancellation { try await thread.taskQueue.run {} }
  await leaveMainThread()
  // A loop of another thread, used by code that is not of the main actor.
  await Task.detached {
    func schedule() -> Bool {
      RunLoop.current.perform { print("ran") }.when(.idle)
      return RunLoop.current.runPass()
    }
    print(schedule())
  }.value

case "RunLoop.current":
  // Before the first suspension, the main thread runs the main actor, and the loop is the main loop.
  useCurrentLoop { print($0 === RunLoop.main) }
  for _ in 1...2 {
    await leaveMainThread()
    useCurrentLoop { loop in
      loop.perform { print("never") }.when(.idle)
      print(loop === RunLoop.main)
    }
  }

case let function? where stoppingCalls[function] != nil:
  await leaveMainThread()
  useCurrentLoop { _ in stoppingCalls[function]?(.main) }

default:
  print("usage: AsyncMainProbe NAME")
  exit(64)
}
