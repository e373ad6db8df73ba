import CoreFoundation
import Foundation
import RunLoopTasks

func say(_ event: String) { print(event) }

/// Calls `body` on another thread and waits for it.
func elsewhere(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  Thread {
    body()
    done.signal()
  }.start()
  done.wait()
}

func scheduleTaskThatReportsItsRelease() -> RunLoopTask {
  let captured = Released { _ in say("released") }
  return RunLoopTaskQueue.main.perform { captured.use() }
}

/// Reports whether it is released on the main thread.
final class Released: Sendable {
  private let onDeinit: @Sendable (Bool) -> Void
  init(_ onDeinit: @escaping @Sendable (Bool) -> Void) { self.onDeinit = onDeinit }
  deinit { onDeinit(Thread.isMainThread) }
  func use() {}
}

/// Saves some time after the last change, as a debounce by a clock does.
@MainActor final class Saver {
  private let clock: RunLoopClock
  private var task: Task<Void, Never>?
  private(set) var saves = 0

  init(clock: RunLoopClock) { self.clock = clock }

  func change(isGeneric: Bool) {
    task?.cancel()
    task = Task {
      do {
        if isGeneric {
          try await (clock as any Clock<Duration>).sleep(for: .seconds(300_000))
        } else {
          try await clock.sleep(for: .seconds(300_000))
        }
      } catch { return }
      saves += 1
    }
  }
}

/// Leaves a wake-up that the next run consumes: a timer ends the run, and it was due before the wake-up.
func leaveWakeUp() {
  let observer = RunLoop.main.observe(.beforeWaiting) { _ in
    let timer = Timer(fire: .now, interval: 0, repeats: false) { _ in CFRunLoopStop(CFRunLoopGetMain()) }
    RunLoop.main.add(timer, forMode: .default)
    CFRunLoopWakeUp(CFRunLoopGetMain())
  }
  _ = RunLoop.main.run(mode: .default, before: .distantFuture)
  observer.invalidate()
}

/// An actor of a thread, which ticks once a second of the thread's task clock.
actor Ticker {
  private let thread: RunLoopThread
  private(set) var ticks = 0

  init(_ thread: RunLoopThread) { self.thread = thread }

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  func run() async throws {
    while true {
      try await thread.taskQueue.clock.sleep(for: .seconds(1))
      ticks += 1
    }
  }
}
