import CoreFoundation
import Synchronization

/// What every task of every peer does: it counts, and the last one of a batch stops the loop.
///
/// A task's closure captures one word, the number of tasks behind it. So it has a context on the heap, as most closures of
/// real programs do; one that captures a single object would have none, because Swift uses the object itself. And the word
/// is another one each time, so no context can be shared.
final class Work: Sendable {
  static let shared = Work()

  private let count = Atomic(0)
  private let busyNanoseconds = Atomic(0)

  /// How many tasks have run.
  var done: Int { count.load(ordering: .relaxed) }

  func run(left: Int) {
    count.store(done + 1, ordering: .relaxed)  // only the main thread runs tasks
    let nanoseconds = busyNanoseconds.load(ordering: .relaxed)
    if nanoseconds > 0 { spin(for: .nanoseconds(nanoseconds)) }
    if left == 0 { CFRunLoopStop(CFRunLoopGetMain()) }
  }

  /// Makes each task from now on take this long.
  func beBusy(for duration: Duration) { busyNanoseconds.store(Int(duration.nanoseconds), ordering: .relaxed) }

  /// Calls `body`, and stops the program unless exactly `number` tasks ran in it: a figure for less would be too good.
  func expect<Result>(_ number: Int, _ body: () -> Result) -> Result {
    let before = done
    defer { if done - before != number { fatalError("\(done - before) tasks ran instead of \(number)") } }
    return body()
  }
}
