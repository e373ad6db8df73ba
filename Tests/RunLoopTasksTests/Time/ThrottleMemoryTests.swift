import Foundation
import RunLoopTasks
import Testing

/// A key is remembered until its interval is over.
@Suite(.onOwnLoop) struct ThrottleMemoryTests {
  let log = Log()
  let keys = Keys()

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
    let isReleased = runTask(atMostEvery: .seconds(3_000))
    #expect(!isReleased())
    RunLoop.current.advance(by: .seconds(4_000))
    #expect(isReleased())
  }

  @Test func aKeyWithoutAnIntervalIsReleasedAtOnce() {
    let isReleased = runTask(atMostEvery: .zero)
    #expect(isReleased())
  }

  @Test func aHundredThousandKeysAreReleased() {
    for number in 1...100_000 {
      RunLoop.current.perform(when: .currentLoopEnded, coalescedBy: keys(number), atMostEvery: .seconds(3_000)) {}
    }
    RunLoop.current.runPass()
    #expect(keys.held == 100_000)
    stopClock(after: .seconds(4_000))
    RunLoop.current.runPass()
    letClockRun()
    #expect(keys.held == 0)
  }

  /// Nothing else is scheduled.
  @Test func aKeyIsReleasedWhenTheLoopNextWakes() {
    keepAlive(.default)
    let isReleased = runTask(atMostEvery: .milliseconds(5))
    addTimer(after: 0.05) { stopRun() }
    run()
    #expect(isReleased())
  }

  @Test func anIntervalAloneKeepsNoRunAlive() {
    _ = runTask(atMostEvery: .seconds(3_000))
    #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
    #expect(RunLoop.current.runUntilTasksFinish(timeout: .zero))
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
    do {
      let token = Token { RunLoop.current.perform { log("task of the key") }.when(.currentLoopEnded) }
      let key = TokenKey(token: token)
      RunLoop.current.perform(when: .currentLoopEnded, coalescedBy: key, atMostEvery: .seconds(3_000)) { log("task") }
    }
    RunLoop.current.runPass()
    RunLoop.current.advance(by: .seconds(4_000))
    #expect(log.events == ["task", "task of the key"])
  }
}

private struct TokenKey: Hashable, Sendable {
  let token: Token
  static func == (one: TokenKey, other: TokenKey) -> Bool { one.token === other.token }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(token)) }
}
