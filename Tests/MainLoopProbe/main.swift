import Foundation
import RunLoopTasks

// Programs that use the main run loop, which the test runner does not run on Linux. They print one event a line, which
// `MainLoopTests` compares.

#if canImport(AppKit)
  if let probe = CommandLine.arguments.dropFirst().first.flatMap(AppKitProbe.init) { probe.run() }
#endif

var stopped = false

switch CommandLine.arguments.dropFirst().first {
case "timings":
  for timing in [RunLoopTask.Timing.idle, .nextLoopBegan, .currentLoopEnded] {
    RunLoop.main.perform { say("\(timing)") }.when(timing)
  }
  say("\(RunLoop.main.runPass())")
  say("\(RunLoop.main.runPass())")

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

case "clock":
  let saver = Saver(clock: RunLoopTaskQueue.main.clock)
  for isGeneric in [false, true] {
    for _ in 1...20 {
      saver.change(isGeneric: isGeneric)
      RunLoop.main.advance(by: .seconds(200_000))
      saver.change(isGeneric: isGeneric)
      RunLoop.main.advance(by: .seconds(299_000))
      let before = saver.saves
      RunLoop.main.advance(by: .seconds(1_000))
      if saver.saves != before + 1 { say("\(before) \(saver.saves)") }
    }
  }
  say("\(saver.saves) saves, \(RunLoopTaskQueue.main.count) pending")

case "yields", "yields beside a wake-up", "yields beside a timer":
  // Jobs of the main actor that follow each other run before time is advanced, and at the end. A round of the loop
  // serves one thing only, so an old wake-up or a due timer may come before them.
  func disturb() {
    switch CommandLine.arguments[1] {
    case "yields beside a wake-up": leaveWakeUp()
    case "yields beside a timer":
      RunLoop.main.add(Timer(fire: .now, interval: 0, repeats: false) { _ in }, forMode: .default)
    default: break
    }
  }
  disturb()
  Task { @MainActor in
    for _ in 1...20 { await Task.yield() }
    say("before")
  }
  RunLoop.main.perform {
    say("date")
    disturb()
    Task { @MainActor in
      for _ in 1...20 { await Task.yield() }
      say("job")
    }
  }.after(.seconds(1_000))
  RunLoop.main.advance(by: .seconds(1_000))
  say("end")

case "passes":
  var passes = 0
  let observer = RunLoop.main.observe(.entry) { _ in passes += 1 }
  func sayPasses(_ body: () -> Void) {
    passes = 0
    body()
    say("\(passes)")
  }
  sayPasses { RunLoop.main.advance(by: .seconds(1)) }
  sayPasses { RunLoop.main.advance(by: .seconds(1)) }
  RunLoop.main.perform {}.after(.seconds(1_000))
  sayPasses { RunLoop.main.advance(by: .seconds(2_000)) }
  DispatchQueue.main.async {}
  sayPasses { RunLoop.main.advance(by: .seconds(1)) }
  let custom = RunLoop.Mode("custom")
  let customObserver = RunLoop.main.observe(.entry, forModes: [custom]) { _ in passes += 1 }
  sayPasses { RunLoop.main.advance(by: .seconds(1), mode: custom) }
  // Blocks of the main queue do not run inside a block of the main queue, but in a task they do.
  DispatchQueue.main.async {
    DispatchQueue.main.async { say("block") }
    sayPasses { RunLoop.main.advance(by: .seconds(1)) }
    RunLoop.main.perform {
      sayPasses { RunLoop.main.advance(by: .seconds(1)) }
      stopped = true
    }.when(.nextLoopBegan)
  }
  RunLoop.main.runUntil { stopped }
  withExtendedLifetime((observer, customObserver)) {}

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
  // `count` already counts tasks that another thread is about to send.
  while !RunLoopTaskQueue.main.debugDescription.contains(" 4 pending") { Thread.sleep(forTimeInterval: 0.001) }
  RunLoop.main.runPass(mode: mode)

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
  // The main thread ends before the process, as under an async main when that first suspends.
  let before = [RunLoop.main.perform(when: .idle) {}, RunLoopTaskQueue.main.perform(after: .seconds(3_000)) {}]
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

default:
  say("usage: MainLoopProbe NAME")
  exit(64)
}
