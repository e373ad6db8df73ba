import Foundation
import RunLoopTasks
import RunLoopVirtualTime

// Programs that run the main loop by hand and undisturbed. They print one event a line, which `MainLoopTests` compares.

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

case "replaced on another thread":
  // Another thread replaces and cancels tasks. Only the main thread releases their closures.
  let tokens = 1_000
  let released = Locked(0)
  elsewhere {
    for number in 1...tokens {
      let captured = Released { isMainThread in
        if !isMainThread { say("released elsewhere") }
        released.withLock { $0 += 1 }
      }
      MainActor.perform(coalescedBy: number % 2) { captured.use() }
    }
    RunLoopTaskQueue.main.cancelTask(coalescedBy: 0)
  }
  say("\(released.withLock { $0 }) released, \(RunLoopTaskQueue.main.count) pending")
  RunLoop.main.runUntilTasksFinish()
  say("\(released.withLock { $0 } == tokens)")

case "time":
  MainActor.perform(after: .seconds(3_000), coalescedBy: "search") { say("replaced") }
  MainActor.perform(when: .currentLoopEnded, order: 1) { say("second") }
  MainActor.perform(when: .currentLoopEnded, order: -1) { say("first") }
  RunLoop.main.advance(by: .seconds(2_000))
  MainActor.perform(after: .seconds(3_000), coalescedBy: "search") { say("search") }
  say("\(RunLoop.main.advance(by: .seconds(2_000)))")
  say("\(RunLoop.main.advance(by: .seconds(2_000)))")
  let woken = MainActor.perform(after: .milliseconds(5)) { say("woken") }
  RunLoop.main.runUntil { woken.state == .finished }

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

case "a job hook is there": OtherJobHook.run(isFirst: true)
case "a job hook is set later": OtherJobHook.run(isFirst: false)

case "slices":
  for _ in 1...20 { RunLoop.main.perform(when: .idle) { Thread.sleep(forTimeInterval: 0.001) } }
  RunLoop.main.advance(by: .zero)
  say("\(RunLoopTaskQueue.main.count) pending")

case "slices in long runs":
  SlicesOfTheMainLoop().report { while RunLoopTaskQueue.main.count > 0 { RunLoop.main.run(until: .now + 0.1) } }

case "slices in short runs":
  SlicesOfTheMainLoop().report {
    while RunLoopTaskQueue.main.count > 0 { _ = RunLoop.main.run(mode: .default, before: .now + 0.1) }
  }

case "slices in polls":
  SlicesOfTheMainLoop().report {
    while RunLoopTaskQueue.main.count > 0 { _ = RunLoop.main.run(mode: .default, before: .distantPast) }
  }

case "slices in nested polls":
  SlicesOfTheMainLoop().report {
    let timer = Timer(fire: .now, interval: 0, repeats: false) { _ in
      while RunLoopTaskQueue.main.count > 0 { _ = RunLoop.main.run(mode: .default, before: .distantPast) }
    }
    RunLoop.main.add(timer, forMode: .default)
    while RunLoopTaskQueue.main.count > 0 { RunLoop.main.run(until: .now + 0.1) }
  }

case "clock in a task":
  // As above, but the passes are nested.
  let saver = Saver(clock: RunLoopTaskQueue.main.clock)
  for _ in 1...20 {
    saver.change(isGeneric: true)
    let before = saver.saves
    RunLoopTaskQueue.main.perform {
      RunLoop.current.advance(by: .seconds(300_000))
      MainActor.assumeIsolated { if saver.saves != before + 1 { say("\(before) \(saver.saves)") } }
    }
    RunLoop.main.runPass()
  }
  say("\(saver.saves) saves")

case "actor of a thread":
  let hasEnded = DispatchSemaphore(value: 0)
  Task.detached {
    for _ in 1...2 {
      let thread = RunLoopThread(name: "ticker")
      let ticker = Ticker(thread)
      Task { try await ticker.run() }
      try await thread.taskQueue.run { _ = RunLoop.current.advance(by: .seconds(3)) }
      say("\(await ticker.ticks)")
      thread.stop()
    }
    hasEnded.signal()
  }
  hasEnded.wait()

case "advance": advance(CommandLine.arguments[2])

case "virtual time": VirtualTime(CommandLine.arguments.dropFirst(2)).run()

case "blocked threads":
  // Two of three waits for the threads that async code shares are in vain.
  let (mayGoOn, count) = (DispatchSemaphore(value: 0), ProcessInfo.processInfo.activeProcessorCount)
  let block = { @Sendable in _ = mayGoOn.wait(timeout: .distantFuture) }
  for priority in [TaskPriority.high, .medium, .low] {
    for _ in 1...count { Task.detached(priority: priority) { block() } }
  }
  let clock = RunLoopTaskQueue.main.clock
  for second in 1...3 { Task { @MainActor in try await clock.sleep(for: .seconds(second)) } }
  let start = ContinuousClock.now
  for _ in 1...3 { RunLoop.main.advance(by: .seconds(10)) }
  say("\(start.duration(to: .now) < .seconds(20))")
  for _ in 1...(3 * count) { mayGoOn.signal() }
  let sleeps = Count()
  Task { @MainActor in
    while true {
      try await clock.sleep(for: .seconds(1))
      sleeps.add()
    }
  }
  RunLoop.main.advance(by: .seconds(10.5))
  say("\(sleeps.value) of 10")

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
    for _ in 1...3 { await Task.yield() }
    say("before")
  }
  RunLoop.main.perform {
    say("date")
    disturb()
    Task { @MainActor in
      for _ in 1...3 { await Task.yield() }
      say("job")
    }
  }.after(.seconds(1_000))
  RunLoop.main.advance(by: .seconds(1_000))
  say("end")

case "MainActor.run with an order":
  let mode = RunLoop.Mode("ordered")
  for order in [3, .max, 0, .min] {
    Task.detached { try await MainActor.run(when: .idle, order: order, forModes: [mode]) { say("\(order)") } }
  }
  // `count` already counts tasks that another thread is about to send.
  while !RunLoopTaskQueue.main.debugDescription.contains(" 4 pending") { Thread.sleep(forTimeInterval: 0.001) }
  RunLoop.main.runPass(mode: mode)

case "cancelling":
  // A cancellation on the main thread releases at once, whether the package was used there before or not.
  scheduleTaskThatReportsItsRelease().cancel()
  say("cancelled")

case "cancelling first":
  let posted = Locked<RunLoopTask?>(nil)
  elsewhere { posted.withLock { $0 = scheduleTaskThatReportsItsRelease() } }
  posted.withLock { $0 }?.cancel()
  say("cancelled")

case "dispatch":
  // A pass serves the main queue, and a block of the main queue may run a nested pass.
  DispatchQueue.main.async {
    RunLoop.main.perform { say("task") }.when(.currentLoopEnded)
    say("{")
    RunLoop.main.runPass()
    say("}")
  }
  RunLoop.main.runPass()

case "frames": printFrames()

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
