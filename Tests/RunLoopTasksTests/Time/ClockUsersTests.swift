import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  /// What libraries for async code do with a clock, on the clock of a loop that a test advances.
  ///
  /// In the diagrams, a letter is an element that comes at that moment, and a dash is a moment without one. In
  /// processes of their own, because other tests may block the shared threads of this one.
  @Suite(.onOwnLoop, .serialized) struct ClockUsersTests {
    @Test(arguments: [
      ("abcd----e---f-g----|", "------d----e-----g-|"), ("a-b-c-|", "------[c|]"), ("|", "|"),
      ("a---b---c---", "---a---b---c"),
    ])
    func aDebouncePassesOnWhatNothingFollows(input: String, output: String) async {
      await #expect(processExitsWith: .success) { [input, output] in
        try await expect(output) { diagram(input) { $0.debounced(for: interval, $1) } }
      }
    }

    @Test(arguments: [("abcdefghijk|", "a--d--g--j-|"), ("a-b-c-|", "a---c-|"), ("ab----cd", "a-----c-"), ("|", "|")])
    func aThrottlePassesOnTheFirst(input: String, output: String) async {
      await #expect(processExitsWith: .success) { [input, output] in
        try await expect(output) { diagram(input) { $0.throttled(for: interval, $1) } }
      }
    }

    @Test(arguments: [
      ("abcdefghijk|", "a--c--f--i-[k|]"), ("ab----cd---", "a--b--c--d-"), ("a--------b|", "a--------b|"),
    ])
    func aThrottlePassesOnTheLatest(input: String, output: String) async {
      await #expect(processExitsWith: .success) { [input, output] in
        try await expect(output) { diagram(input) { $0.throttledToLatest(for: interval, $1) } }
      }
    }

    @Test func aTimerTicksOnceAnInterval() async {
      await #expect(processExitsWith: .success) {
        try await expect("---t--t--t") { diagram("----------") { ticks(every: interval, beside: $0, $1) } }
      }
    }

    /// The first of two sleeps ends the other.
    @Test(arguments: [(2, "--[s|]---"), (5, "----[t|]-")])
    func aTimeoutEndsAnOperation(moments: Int, output: String) async {
      await #expect(processExitsWith: .success) { [moments, output] in
        try await expect(output) {
          diagram("------") { timeout(moment * 4, of: moment * moments, beside: $0, $1) }
        }
      }
    }

    @Test func sleepsEndInTheOrderOfTheirDeadlines() async {
      await #expect(processExitsWith: .success) {
        try await expect("-1-34-") { diagram("------") { sleeps([4, 1, 3], beside: $0, $1) } }
      }
    }

    @Test func aDelayPassesOnEachElementLater() async {
      await #expect(processExitsWith: .success) {
        try await expect("-a-b|") { diagram("a-b-|") { $0.delayed(by: moment, $1) } }
      }
    }
  }

  /// Expects a diagram, drawn on the thread of a loop, again and again. `CLOCK_ROUNDS=1000` draws it as often.
  private func expect(_ expected: String, _ draw: @escaping @Sendable () -> String) async throws {
    let rounds = ProcessInfo.processInfo.environment["CLOCK_ROUNDS"].flatMap(UInt32.init) ?? 10
    alarm(120 + rounds)
    let thread = RunLoopThread(name: "clock")
    for _ in 1...rounds { try #require(try await thread.taskQueue.run { draw() } == expected) }
  }
#endif

/// So long that the test's own time does not matter.
private let moment = Duration.seconds(1_000)
private let interval = moment * 3

private typealias Elements = AsyncStream<Character>

/// Sends the elements of the input, moment by moment, and returns what comes out.
private func diagram(_ input: String, _ transform: (Elements, RunLoopClock) -> Elements) -> String {
  let (elements, feed) = Elements.makeStream()
  let received = Box("")
  let output = transform(elements, RunLoop.current.taskQueue.clock)
  let reader = Task.detached {
    for await element in output { received.withLock { $0.append(element) } }
    if !Task.isCancelled { received.withLock { $0.append("|") } }
  }
  var diagram = ""
  for element in input {
    if element == "|" { feed.finish() } else if element != "-" { feed.yield(element) }
    RunLoop.current.advance(by: .zero)
    let now = received.withLock { text in
      defer { text = "" }
      return text
    }
    diagram += now.isEmpty ? "-" : now.count == 1 ? now : "[\(now)]"
    RunLoop.current.advance(by: moment)
  }
  reader.cancel()
  RunLoop.current.taskQueue.cancelAll()
  return diagram
}

extension Elements {
  fileprivate func debounced(for interval: Duration, _ clock: any Clock<Duration>) -> Elements {
    Elements { output in
      Task {
        let latest = Box<Character?>(nil)
        var sleep: Task<Void, Never>?
        for await element in self {
          sleep?.cancel()
          latest.value = element
          sleep = Task {
            guard (try? await clock.sleep(for: interval)) != nil else { return }
            if let element = latest.withLock({ $0.take() }) { output.yield(element) }
          }
        }
        sleep?.cancel()
        if let element = latest.withLock({ $0.take() }) { output.yield(element) }
        output.finish()
      }
    }
  }

  fileprivate func throttled<C: Clock<Duration>>(for interval: Duration, _ clock: C) -> Elements {
    Elements { output in
      Task {
        var latest: C.Instant?
        for await element in self {
          let now = clock.now
          if let latest, latest.duration(to: now) < interval { continue }
          latest = now
          output.yield(element)
        }
        output.finish()
      }
    }
  }

  fileprivate func throttledToLatest(for interval: Duration, _ clock: any Clock<Duration>) -> Elements {
    Elements { output in
      Task {
        let latest = Box<(element: Character?, isSleeping: Bool)>((nil, false))
        @Sendable func pass(_ element: Character) {
          output.yield(element)
          latest.withLock { $0.isSleeping = true }
          Task {
            try await clock.sleep(for: interval)
            let next = latest.withLock { latest in
              latest.isSleeping = false
              return latest.element.take()
            }
            if let next { pass(next) }
          }
        }
        for await element in self {
          let mustWait = latest.withLock { latest in
            if latest.isSleeping { latest.element = element }
            return latest.isSleeping
          }
          if !mustWait { pass(element) }
        }
        if let element = latest.withLock({ $0.element.take() }) { output.yield(element) }
        output.finish()
      }
    }
  }

  fileprivate func delayed(by duration: Duration, _ clock: any Clock<Duration>) -> Elements {
    Elements { output in
      Task {
        for await element in self {
          try? await clock.sleep(for: duration)
          output.yield(element)
        }
        output.finish()
      }
    }
  }
}

private func ticks<C: Clock<Duration>>(every interval: Duration, beside _: Elements, _ clock: C) -> Elements {
  Elements { output in
    Task {
      var deadline = clock.now
      while true {
        deadline = deadline.advanced(by: interval)
        try await clock.sleep(until: deadline, tolerance: nil)
        output.yield("t")
      }
    }
  }
}

private func timeout(
  _ timeout: Duration, of duration: Duration, beside _: Elements, _ clock: any Clock<Duration>
) -> Elements {
  Elements { output in
    Task {
      let first = await withTaskGroup { group in
        for (element, duration) in [("s", duration), ("t", timeout)] as [(Character, Duration)] {
          group.addTask { (try? await clock.sleep(for: duration)) == nil ? "x" : element }
        }
        defer { group.cancelAll() }
        return await group.next()!
      }
      output.yield(first)
      output.finish()
    }
  }
}

private func sleeps(_ moments: [Int], beside _: Elements, _ clock: any Clock<Duration>) -> Elements {
  Elements { output in
    for number in moments {
      Task {
        try await clock.sleep(for: moment * number)
        output.yield(Character("\(number)"))
      }
    }
  }
}
