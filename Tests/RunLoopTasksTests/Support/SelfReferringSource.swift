import Foundation
import RunLoopTasks

/// A source whose `perform` gets the source itself, for example to send to it or to invalidate it.
func makeSource(
  order: Int = 0, batchLimit: Int = .max, perform: @escaping @Sendable (RunLoopSource<Int>, [Int]) -> Void
) -> RunLoopSource<Int> {
  let own = Box(WeakSource(source: nil))
  let source = RunLoopSource<Int>(order: order, batchLimit: batchLimit) { commands in
    if let source = own.value.source { perform(source, commands) }
  }
  own.value = WeakSource(source: source)
  return source
}

/// Adds such a source to a mode of the current thread's loop.
@discardableResult
func addSource(
  order: Int = 0, batchLimit: Int = .max, in mode: RunLoop.Mode = .default,
  perform: @escaping @Sendable (RunLoopSource<Int>, [Int]) -> Void
) -> RunLoopSource<Int> {
  let source = makeSource(order: order, batchLimit: batchLimit, perform: perform)
  RunLoop.current.add(source, forMode: mode)
  return source
}

private struct WeakSource: Sendable {
  weak let source: RunLoopSource<Int>?
}
