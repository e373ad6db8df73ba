import Foundation
import RunLoopTasks

// The recipes of the article of this name whose effect a test can see. The tests are in `RecipeTests.swift`.

/// A class of the main actor that owns a source.
@MainActor final class Feed {
  private(set) var numbers: [Int] = []
  private(set) var source: RunLoopSource<Int>?

  func start() {
    let source = RunLoopSource<Int> { [weak self] numbers in
      MainActor.assumeIsolated { self?.numbers += numbers }
    }
    RunLoop.main.add(source, forMode: .common)
    self.source = source
  }

  deinit { source?.invalidate() }
}

/// Several tasks of one owner, cancelled together.
struct OwnedTasks {
  private var tasks: [RunLoopTask] = []
  private var limit = 16

  mutating func add(_ task: RunLoopTask) {
    if tasks.count >= limit {
      tasks.removeAll { $0.state != .pending }
      limit = max(16, 2 * tasks.count)
    }
    tasks.append(task)
  }

  mutating func cancelAll() {
    for task in tasks { task.cancel() }
    tasks = []
  }
}

/// A debounce of an asynchronous sequence: calls `perform` once no further value has come for the interval.
@MainActor func debounce<Value: Sendable>(
  _ values: some AsyncSequence<Value, Never>, for interval: Duration, on clock: RunLoopClock,
  _ perform: @escaping (Value) -> Void
) async throws {
  var waiting: Task<Void, any Error>?
  for await value in values {
    waiting?.cancel()
    waiting = Task {
      try await clock.sleep(for: interval)
      perform(value)
    }
  }
  try await waiting?.value
}

/// Two kinds of work of one owner. The owner is the key, and not its `ObjectIdentifier`, which a throttle would outlive.
struct OwnedKey<Owner: Hashable & Sendable>: Hashable, Sendable {
  enum Kind { case reload, redraw }
  let owner: Owner
  let kind: Kind
}

/// Reads a stream elsewhere, so that the source delivers its elements in batches.
@concurrent func follow(_ rows: AsyncStream<Int>, into source: RunLoopSource<Int>) async {
  for await row in rows { source.send(row) }
}

/// Sends numbers from a thread, which waits after each hundred.
///
/// - Parameters:
///   - note: called with the number of commands that wait, before each.
func sendInHundreds(
  upTo last: Int, on loop: RunLoop, _ note: @escaping @Sendable (Int) -> Void, atEnd: @escaping @Sendable () -> Void
) {
  let caughtUp = DispatchSemaphore(value: 0)
  let received = Box(0)
  let source = RunLoopSource<Int> { numbers in
    for number in numbers {
      received.value = number
      if number % 100 == 0 { caughtUp.signal() }
      if number == last { atEnd() }
    }
  }
  loop.add(source, forMode: .default)
  Thread.detachNewThread {
    for number in 1...last {
      note(number - received.value)
      source.send(number)
      if number % 100 == 0 { caughtUp.wait() }
    }
    source.invalidate()
  }
}
