import CoreFoundation
import Foundation
import RunLoopMain
import RunLoopTasks
import RunLoopVirtualTime

#if os(Linux)
  import OtherHooks
  import RunLoopHost
#endif

// A program with an `async` main that imports `RunLoopMain`, and so runs the main loop. It prints one event a line,
// which `RunLoopMainTests` compares.

func say(_ event: Any) { print(event) }

@concurrent func leaveMainThread() async { await Task.yield() }  // an empty function would be optimized away

/// Whether the calling code runs on the main thread.
func isOnMainThread() -> Bool { Thread.isMainThread }

/// The loop of the current thread is the main loop, for code that is not async.
@MainActor func currentLoopIsMain() -> Bool { RunLoop.current === RunLoop.main }

@MainActor func stopMainLoop() { CFRunLoopStop(CFRunLoopGetMain()) }

/// The seconds for which the threads of this process run on a processor while nothing happens.
func busySeconds() async throws -> Double {
  func time() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = time()
  try await Task.sleep(for: .milliseconds(300))
  return time() - start
}

#if os(Linux)
  @MainActor func embedMainLoop() { _ = EmbeddedMainLoop() }
#endif

struct Failure: Error {}

@main struct Probe {
  @MainActor static func main() async throws {
    switch CommandLine.arguments.dropFirst().first {
    case "threads":
      say(isOnMainThread())
      await leaveMainThread()
      say(isOnMainThread())
      try await Task.sleep(for: .milliseconds(1))
      say(isOnMainThread())
      say(await Task.detached { await MainActor.run { isOnMainThread() && currentLoopIsMain() } }.value)

    #if os(Linux)
      case "embedded":
        await leaveMainThread()
        embedMainLoop()
        try await MainActor.run(when: .idle) { say("task") }
    #endif

    case "timings":
      try await MainActor.run(when: .nextLoopBegan) {
        for timing in [RunLoopTask.Timing.idle, .nextLoopBegan, .currentLoopEnded] {
          RunLoop.current.perform { say(timing) }.when(timing)
        }
      }
      try await MainActor.run(when: .idle, after: .milliseconds(5)) { say(isOnMainThread()) }

    case "awaited":
      say(try await MainActor.run(when: .currentLoopEnded) { 1 })
      say(try await RunLoopTaskQueue.main.run(when: .idle) { MainActor.assumeIsolated { 2 } })
      do { try await MainActor.run(when: .idle) { throw Failure() } } catch { say(error) }
      let sleeper = Task { try await RunLoopTaskQueue.main.clock.sleep(for: .seconds(3_000)) }
      let advanced = try await MainActor.run(when: .idle) { RunLoop.main.advance(by: .seconds(4_000)) }
      try await sleeper.value
      say(advanced)

    case "timer", "block", "perform":
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let end: @Sendable () -> Void = {
          say(isOnMainThread())
          continuation.resume()
        }
        switch CommandLine.arguments[1] {
        case "timer": RunLoop.main.add(Timer(fire: .now, interval: 0, repeats: false) { _ in end() }, forMode: .common)
        case "block": DispatchQueue.main.async(execute: end)
        default: RunLoop.main.perform(end)
        }
      }

    case "stopped":
      // A loop that is stopped, in which nothing is left, and which runs a nested run that is stopped.
      for _ in 1...3 {
        stopMainLoop()
        await leaveMainThread()
        try await MainActor.run(when: .currentLoopEnded) { stopMainLoop() }
        try await MainActor.run(when: .nextLoopBegan) {
          RunLoop.main.perform { stopMainLoop() }.when(.nextLoopBegan)
          CFRunLoopRun()
        }
        say(isOnMainThread())
      }

    case "empty": say(try await busySeconds() < 0.1)

    case "returns": await leaveMainThread()

    case "throws":
      await leaveMainThread()
      throw Failure()

    case "exits":
      await leaveMainThread()
      exit(7)

    case "dispatchMain":
      // Dispatch takes over the main thread, as it does without `RunLoopMain`.
      let task = MainActor.perform(after: .seconds(3_000)) {}
      Task.detached {
        while task.state != .cancelled { await Task.yield() }
        say("cancelled")
        exit(0)
      }
      MainActor.perform { dispatchMain() }
      try await Task.sleep(for: .seconds(3_000))

    #if os(Linux)
      case "before", "after":
        // Another hook is set before `RunLoopMain` sets its own, by a constructor, or after that.
        if CommandLine.arguments[1] == "after" { setOtherHook() }
        await leaveMainThread()
        let task = MainActor.perform {}
        while task.state == .pending { await Task.yield() }
        say(task.state)

      case "not called":
        removeHook()
        let task = MainActor.perform {}
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          Thread {
            while task.state == .pending { usleep(1_000) }
            continuation.resume()
          }.start()
        }
        say(task.state)

      case "no hook": installWithoutHook()

      case "another thread":
        // Nothing but the main thread should do this. Dispatch then serves the main queue, as without `RunLoopMain`.
        Thread { waitForEndOfMain() }.start()
        say(try await busySeconds() < 0.1)
    #endif

    default:
      say("usage: RunLoopMainProbe NAME")
      exit(64)
    }
  }
}
