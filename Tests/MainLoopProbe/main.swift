import Foundation
import RunLoopTasks

// Programs that use the main run loop, which the test runner does not run on Linux. They print one event a line, which
// `MainLoopTests` compares.

#if canImport(AppKit)
  if let probe = CommandLine.arguments.dropFirst().first.flatMap(AppKitProbe.init) { probe.run() }
#endif

switch CommandLine.arguments.dropFirst().first {
case "timings":
  for timing in [RunLoopTask.Timing.idle, .nextLoopBegan, .currentLoopEnded] {
    RunLoop.main.perform { say("\(timing)") }.when(timing)
  }
  say("\(RunLoop.main.runPass())")
  say("\(RunLoop.main.runPass())")

case "main actor":
  let view = View()
  for _ in 1...10 { view.setNeedsReload() }
  RunLoop.main.runUntilTasksFinish()
  view.printReloads()

case "other threads":
  elsewhere {
    RunLoopTaskQueue.main.perform { MainActor.assumeIsolated { say("from the main queue") } }
    RunLoop.main.taskQueue.perform(when: .currentLoopEnded, forModes: [.common]) {
      MainActor.assumeIsolated { say("at the end, from RunLoop.main") }
    }
  }
  RunLoop.main.runUntilTasksFinish()

case "MainActor.perform":
  let view = View()
  elsewhere {
    for _ in 1...10 {
      MainActor.perform(when: .currentLoopEnded, coalescedBy: "reload") { view.setNeedsReload() }
    }
  }
  say("\(RunLoopTaskQueue.main.debugDescription.contains("currentLoopEnded in common, coalesced by \"reload\""))")
  RunLoop.main.runUntilTasksFinish()
  view.printReloads()

case "replaced on another thread":
  // Another thread replaces and cancels tasks. Only the main thread releases their closures.
  let tokens = 1_000
  let released = Counter()
  elsewhere {
    for number in 1...tokens {
      let captured = Released { isMainThread in
        if !isMainThread { say("released elsewhere") }
        released.number.withLock { $0 += 1 }
      }
      MainActor.perform(coalescedBy: number % 2) { captured.use() }
    }
    RunLoopTaskQueue.main.cancelTask(coalescedBy: 0)
  }
  say("\(released.number.withLock { $0 }) released, \(RunLoopTaskQueue.main.count) pending")
  RunLoop.main.runUntilTasksFinish()
  say("\(released.number.withLock { $0 } == tokens)")

case "one dialect":
  let view = View()
  view.scheduleByKey()
  RunLoop.main.runUntilTasksFinish()

case "time":
  MainActor.perform(after: .seconds(3_000), coalescedBy: "search") { say("replaced") }
  MainActor.perform(when: .currentLoopEnded, order: 1) { say("second") }
  MainActor.perform(when: .currentLoopEnded, order: -1) { say("first") }
  RunLoop.main.advance(by: .seconds(2_000))
  MainActor.perform(after: .seconds(3_000), coalescedBy: "search") { say("search") }
  say("\(RunLoop.main.advance(by: .seconds(2_000)))")
  say("\(RunLoop.main.advance(by: .seconds(2_000)))")
  let woken = MainActor.perform(after: .milliseconds(5)) { say("woken") }
  say("\(RunLoop.main.runUntil(timeout: nil) { woken.state == .finished })")

case "MainActor.run":
  Task {
    let isMain = try await MainActor.run(when: .idle, after: .milliseconds(5)) { Thread.isMainThread }
    say("\(isMain)")
    struct Failure: Error {}
    do { try await MainActor.run(when: .currentLoopEnded) { throw Failure() } } catch { say("\(error is Failure)") }
    exit(0)
  }
  RunLoop.main.run()

case "MainActor.run with an order":
  let mode = RunLoop.Mode("ordered")
  for order in [3, .max, 0, .min] {
    Task.detached { try await MainActor.run(when: .idle, order: order, forModes: [mode]) { say("\(order)") } }
  }
  while RunLoopTaskQueue.main.count < 4 { Thread.sleep(forTimeInterval: 0.001) }
  RunLoop.main.runPass(mode: mode)

case "given to Dispatch":
  // An async main calls `dispatchMain` when it first suspends. Tasks are scheduled before and after that.
  let before = [MainActor.perform {}, RunLoopTaskQueue.main.perform(after: .seconds(3_000)) {}]
  Task.detached {
    while !before.allSatisfy({ $0.state == .cancelled }) { await Task.yield() }
    say("before: cancelled")
    let after = [MainActor.perform {}, RunLoopTaskQueue.main.perform {}]
    while !after.allSatisfy({ $0.state == .cancelled }) { await Task.yield() }
    say("after: cancelled")
    do { try await MainActor.run(when: .idle) {} } catch { say("\(error)") }
    exit(0)
  }
  dispatchMain()

case "async":
  Task { @MainActor in
    let wait = Task { @MainActor in
      try await RunLoopTaskQueue.main.run(forModes: [RunLoop.Mode("never run")]) {}
    }
    // This task runs when the task above waits. Both run on the main thread.
    await Task { @MainActor in say("\(RunLoopTaskQueue.main.count) pending") }.value
    wait.cancel()
    say("\(await wait.result)")
    let value = try await RunLoopTaskQueue.main.run(when: .currentLoopEnded) { MainActor.assumeIsolated { 7 } }
    say("\(value)")
    exit(0)
  }
  RunLoop.main.run()

case "cancelling":
  // A cancellation on the main thread releases at once, whether the package was used there before or not.
  scheduleTaskThatReportsItsRelease().cancel()
  say("cancelled")

case "cancelling first":
  let posted = Posted()
  elsewhere { posted.task.withLock { $0 = scheduleTaskThatReportsItsRelease() } }
  posted.task.withLock { $0 }?.cancel()
  say("cancelled")

case "sleeping":
  Thread {
    Thread.sleep(forTimeInterval: 0.05)  // By then the loop most likely sleeps.
    RunLoopTaskQueue.main.perform {
      say("woken")
      exit(0)
    }
  }.start()
  RunLoop.main.run()

case "dispatch":
  // A pass serves the main queue, and a block of the main queue may run a nested pass.
  DispatchQueue.main.async {
    RunLoop.main.perform { say("task") }.when(.currentLoopEnded)
    say("{")
    RunLoop.main.runPass()
    say("}")
  }
  RunLoop.main.runPass()

case "ends":
  // The main thread ends before the process.
  let task: RunLoopTask = RunLoop.main.perform {}
  Thread {
    while task.state == .pending { Thread.sleep(forTimeInterval: 0.001) }
    say("\(task.state)")
    say("\(RunLoopTaskQueue.main.perform {}.state)")
    exit(0)
  }.start()
  dispatchMain()

default:
  say("usage: MainLoopProbe NAME")
  exit(64)
}
