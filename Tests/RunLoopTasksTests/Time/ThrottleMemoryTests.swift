import Foundation
import Testing

@testable import RunLoopTasks

/// A key is remembered until its interval is over.
@Suite struct ThrottleMemoryTests {
  private final class Key: Hashable {
    static func == (one: Key, other: Key) -> Bool { one === other }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// Runs a task with a new key.
  ///
  /// - Returns: a closure that tells whether the key is released.
  private func runTask(atMostEvery interval: Duration) -> () -> Bool {
    let key = Key()
    RunLoop.current.perform(when: .currentLoopEnded, coalescedBy: key, atMostEvery: interval) {}
    RunLoop.current.runPass()
    return { [weak key] in key == nil }
  }

  @Test func aKeyIsReleasedAfterItsInterval() {
    onLoopThread {
      let isReleased = runTask(atMostEvery: .seconds(3_000))
      #expect(!isReleased())
      RunLoop.current.advance(by: .seconds(4_000))
      #expect(isReleased())
      #expect(Scheduler.current.keys.isEmpty)
    }
  }

  @Test func aKeyWithoutAnIntervalIsReleasedAtOnce() {
    onLoopThread {
      let isReleased = runTask(atMostEvery: .zero)
      #expect(isReleased())
    }
  }

  @Test func aHundredThousandKeysAreReleased() {
    onLoopThread {
      for number in 1...100_000 {
        RunLoop.current.perform(when: .currentLoopEnded, coalescedBy: number, atMostEvery: .seconds(3_000)) {}
      }
      RunLoop.current.runPass()
      #expect(!Scheduler.current.keys.isEmpty)
      Scheduler.current.clock.freeze(at: Scheduler.current.clock.date(after: .seconds(4_000)))
      RunLoop.current.runPass()
      Scheduler.current.clock.resume()
      #expect(Scheduler.current.keys.isEmpty)
    }
  }

  /// Nothing else is scheduled.
  @Test func aKeyIsReleasedWhenTheLoopNextWakes() {
    onLoopThread {
      let keepAlive = ModeHolder()
      let isReleased = runTask(atMostEvery: .milliseconds(5))
      addTimer(after: 0.05) { stopRun() }
      run()
      withExtendedLifetime(keepAlive) {}
      #expect(isReleased())
    }
  }

  @Test func anIntervalAloneKeepsNoRunAlive() {
    onLoopThread {
      _ = runTask(atMostEvery: .seconds(3_000))
      #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
      #expect(RunLoop.current.runUntilTasksFinish(timeout: .zero))
    }
  }

  @Test func aLoopThatEndsReleasesTheKeysOfIntervals() {
    let released = Counter()
    onLoopThread {
      let key = TokenKey(token: Token { released.count() })
      RunLoop.current.perform(when: .currentLoopEnded, coalescedBy: key, atMostEvery: .seconds(3_000)) {}
      RunLoop.current.runPass()
    }
    waitUntil { released.value == 1 }
  }

  @Test func theReleaseOfAKeyMayScheduleATask() {
    let events = eventsOnLoopThread { log in
      do {
        let token = Token { RunLoop.current.perform { log("task of the key") }.when(.currentLoopEnded) }
        let key = TokenKey(token: token)
        RunLoop.current.perform(when: .currentLoopEnded, coalescedBy: key, atMostEvery: .seconds(3_000)) { log("task") }
      }
      RunLoop.current.runPass()
      RunLoop.current.advance(by: .seconds(4_000))
    }
    #expect(events == ["task", "task of the key"])
  }

  @Test func aTaskWithAShorterIntervalDoesNotEndTheIntervalUnderWay() {
    let events = eventsOnLoopThread { log in
      func schedule(_ name: String, atMostEvery interval: Duration) {
        RunLoop.current.perform(when: .currentLoopEnded, coalescedBy: 1, atMostEvery: interval) { log(name) }
        RunLoop.current.runPass()
      }
      schedule("first", atMostEvery: .seconds(3_000))
      schedule("without", atMostEvery: .zero)
      schedule("third", atMostEvery: .seconds(3_000))
      log("pass")
      RunLoop.current.advance(by: .seconds(4_000))
    }
    #expect(events == ["first", "without", "pass", "third"])
  }
}

private struct TokenKey: Hashable, Sendable {
  let token: Token
  static func == (one: TokenKey, other: TokenKey) -> Bool { one.token === other.token }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(token)) }
}
