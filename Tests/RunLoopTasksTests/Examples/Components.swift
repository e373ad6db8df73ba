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
