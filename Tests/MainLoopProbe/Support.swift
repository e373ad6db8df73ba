import Foundation
import RunLoopTasks
import Synchronization

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
  final class Captured: Sendable {
    deinit { say("released") }
    func use() {}
  }
  let captured = Captured()
  return RunLoopTaskQueue.main.perform { captured.use() }
}

/// Reports whether it is released on the main thread.
final class Released: Sendable {
  private let onDeinit: @Sendable (Bool) -> Void
  init(_ onDeinit: @escaping @Sendable (Bool) -> Void) { self.onDeinit = onDeinit }
  deinit { onDeinit(Thread.isMainThread) }
  func use() {}
}

final class Counter: Sendable {
  let number = Mutex(0)
}

final class Posted: Sendable {
  let task = Mutex<RunLoopTask?>(nil)
}

@MainActor final class View {
  private var reloads = 0

  func setNeedsReload() {
    RunLoop.current.perform { self.reloads += 1 }.when(.currentLoopEnded).coalesced(by: ObjectIdentifier(self))
  }

  /// A key of the main actor, which is not `Sendable`.
  private struct Key: @MainActor Hashable {
    let view: ObjectIdentifier
  }

  func scheduleByKey() {
    for number in 1...3 {
      RunLoop.main.perform(when: .currentLoopEnded, coalescedBy: Key(view: ObjectIdentifier(self))) {
        self.reloads += 1
        say("\(number)")
      }
    }
  }

  func printReloads() { say("\(reloads) reload") }
}
