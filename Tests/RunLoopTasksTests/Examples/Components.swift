import Foundation
import RunLoopTasks

// Code that uses the package, as an app would have it. The tests beside this file test it.

/// A view that reloads once a pass, however often its rows change.
final class RowsView {
  var rows: [String] = [] { didSet { setNeedsReload() } }
  private(set) var reloads = 0

  private func setNeedsReload() {
    RunLoop.current.perform { [self] in reloads += 1 }
      .when(.currentLoopEnded).forModes(.common).coalesced(by: ObjectIdentifier(self))
  }
}

/// A debounce: a field that searches once the user has not typed for a while, and after a longest wait at the latest.
final class SearchField {
  var text = "" { didSet { search() } }
  private(set) var searches: [String] = []
  private let (delay, longestWait): (Duration, Duration)

  init(delay: Duration = .milliseconds(300), longestWait: Duration = .seconds(2)) {
    (self.delay, self.longestWait) = (delay, longestWait)
  }

  private func search() {
    RunLoop.current.perform { [self] in searches.append(text) }
      .after(delay).within(longestWait).coalesced(by: ObjectIdentifier(self))
  }
}

/// A throttle: a label that changes at most once in an interval.
final class ProgressLabel {
  private(set) var texts: [String] = []
  private let interval: Duration

  init(interval: Duration = .milliseconds(100)) { self.interval = interval }

  func show(_ percent: Int) {
    RunLoop.current.perform { [self] in texts.append("\(percent) %") }
      .when(.currentLoopEnded).coalesced(by: ObjectIdentifier(self), atMostEvery: interval)
  }
}

/// A cache that empties itself once the loop has nothing else to do, and after a second at the latest.
final class SquareCache {
  private(set) var squares: [Int: Int] = [:]

  func square(_ number: Int) -> Int {
    RunLoop.current.perform { [self] in squares = [:] }
      .when(.idle).within(.seconds(1)).coalesced(by: ObjectIdentifier(self))
    if squares[number] == nil { squares[number] = number * number }
    return squares[number]!
  }
}

/// An actor on a thread of its own, which reports to the loop that started it.
actor Adder {
  private let thread = RunLoopThread(name: "adder")
  private var sum = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  func add(
    _ numbers: [Int], reportTo queue: RunLoopTaskQueue? = nil, _ report: @escaping @Sendable (Int) -> Void = { _ in }
  ) -> Int {
    sum += numbers.reduce(0, +)
    queue?.perform { [sum] in report(sum) }
    return sum
  }

  var isOnItsThread: Bool { sum >= 0 && Thread.current.name == "adder" }

  nonisolated func stop() { thread.stop() }
}

/// Code that is given a clock: it tries until it succeeds, after pauses of 1, 2, 3 … seconds.
func retry(
  on clock: any Clock<Duration>, isolation: isolated (any Actor)? = #isolation, _ succeeds: () -> Bool
) async throws {
  var pause = Duration.zero
  while !succeeds() {
    pause += .seconds(1)
    try await clock.sleep(for: pause)
  }
}

/// A countdown on the main actor, with a timer of the main loop.
@MainActor final class Countdown {
  private(set) var left: Int

  init(from start: Int, every interval: TimeInterval) {
    left = start
    _ = Timer.scheduledTimer(withTimeInterval: interval, repeats: true) { [weak self] timer in
      let isOver = MainActor.assumeIsolated { self?.tick() ?? true }
      if isOver { timer.invalidate() }
    }
  }

  private func tick() -> Bool {
    left -= 1
    return left == 0
  }
}

/// Async code of the main actor that waits on the clock of the main loop: it saves once the user has paused.
@MainActor final class Draft {
  var text = "" { didSet { saveLater() } }
  private(set) var saved = ""
  private let delay: Duration
  private var saving: Task<Void, any Error>?

  init(delay: Duration = .seconds(2)) { self.delay = delay }

  private func saveLater() {
    saving?.cancel()
    saving = Task {
      try await RunLoopTaskQueue.main.clock.sleep(for: delay)
      saved = text
    }
  }
}
