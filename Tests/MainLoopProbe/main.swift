import Foundation
import RunLoopTasks
import Synchronization

// What the tests want to know of the main run loop, which their own process does not run on Linux. Prints what happened, one
// event a line; `MainLoopTests` compares.

private func say(_ event: String) { print(event) }

/// Calls `body` on another thread and waits for it.
private func elsewhere(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  Thread {
    body()
    done.signal()
  }.start()
  done.wait()
}

private func scheduleOneThatTellsWhenItGoes() -> RunLoopTask {
  final class Captured: Sendable {
    deinit { say("released") }
    func use() {}
  }
  let captured = Captured()
  return RunLoopTaskQueue.main.perform { captured.use() }
}

private final class Posted: Sendable {
  let task = Mutex<RunLoopTask?>(nil)
}

@MainActor private final class View {
  private var reloads = 0

  func setNeedsReload() {
    RunLoop.current.perform { self.reloads += 1 }.when(.currentLoopEnded).coalesced(by: ObjectIdentifier(self))
  }

  func printReloads() { say("\(reloads) reload") }
}

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

case "async":
  Task { @MainActor in
    let wait = Task { @MainActor in
      try await RunLoopTaskQueue.main.run(forModes: [RunLoop.Mode("never run")]) {}
    }
    // Its turn comes when the one above waits. So far everything has happened on this thread.
    await Task { @MainActor in say("\(RunLoopTaskQueue.main.count) pending") }.value
    wait.cancel()
    say("\(await wait.result)")
    let value = try await RunLoopTaskQueue.main.run(when: .currentLoopEnded) { MainActor.assumeIsolated { 7 } }
    say("\(value)")
    exit(0)
  }
  RunLoop.main.run()

case "cancelling":
  // On the main thread it is the loop's own thread that cancels, whatever was used of the package before.
  scheduleOneThatTellsWhenItGoes().cancel()
  say("cancelled")

case "cancelling first":
  let posted = Posted()
  elsewhere { posted.task.withLock { $0 = scheduleOneThatTellsWhenItGoes() } }
  posted.task.withLock { $0 }?.cancel()
  say("cancelled")

case "sleeping":
  Thread {
    Thread.sleep(forTimeInterval: 0.05)  // by then the loop most likely sleeps
    RunLoopTaskQueue.main.perform {
      say("woken")
      exit(0)
    }
  }.start()
  RunLoop.main.run()

case "dispatch":
  // A pass serves the main queue, and a block of that may drive the loop in turn.
  DispatchQueue.main.async {
    RunLoop.main.perform { say("task") }.when(.currentLoopEnded)
    say("{")
    RunLoop.main.runPass()
    say("}")
  }
  RunLoop.main.runPass()

case "ends":
  // The main thread may end before the process does.
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
