import Foundation
import RunLoopTasks

/// A source that logs each of its callbacks.
func loggedSource(_ log: Log) -> RunLoopSource<Int> {
  RunLoopSource(
    onSchedule: { log("scheduled in \($0.shortName)") },
    onCancel: { log("cancelled in \($0.shortName)") }, perform: { log("\($0)") })
}

extension RunLoopTaskQueue {
  /// Adds the source to the queue's loop, which another thread runs, and waits until the loop has it.
  func addAndWait<Command>(_ source: RunLoopSource<Command>, forModes modes: [RunLoop.Mode] = [.default]) {
    let isAdded = DispatchSemaphore(value: 0)
    perform {
      for mode in modes { RunLoop.current.add(source, forMode: mode) }
      isAdded.signal()
    }
    isAdded.waitOrDie("the source to be added")
  }
}

/// An observer that a test passes from one thread to another.
struct SharedObserver: @unchecked Sendable {
  // Unchecked, because an observer may be invalidated and released on any thread.
  let observer: RunLoopObserver
}
