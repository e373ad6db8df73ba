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

/// Adds a source to a mode of the current thread's loop. Its `perform` gets the source itself.
@discardableResult
func addSource(
  order: Int = 0, in mode: RunLoop.Mode = .default,
  perform: @escaping @Sendable (RunLoopSource<Int>, [Int]) -> Void
) -> RunLoopSource<Int> {
  let own = Box(WeakSource(source: nil))
  let source = RunLoopSource<Int>(order: order) { commands in
    if let source = own.value.source { perform(source, commands) }
  }
  own.value = WeakSource(source: source)
  RunLoop.current.add(source, forMode: mode)
  return source
}

private struct WeakSource: Sendable {
  weak let source: RunLoopSource<Int>?
}
