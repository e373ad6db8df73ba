import Testing

@testable import RunLoopTasks

@Suite(.onOwnLoop) struct TaskClockTests {
  @Test func aClockIsNeverPutBack() {
    var clock = TaskClock()
    let date = clock.now
    clock.freeze(at: 1)
    #expect(clock.now >= date)
    let frozen = clock.now
    clock.freeze(at: frozen - 1)
    #expect(clock.now == frozen)
    clock.resume()
    #expect(clock.now >= frozen)
  }

  /// However long it stood still.
  @Test func aClockGoesOnFromTheTimeAtWhichItStood() {
    var clock = TaskClock()
    clock.freeze()
    let (frozen, start) = (clock.now, TaskClock.uptime)
    while TaskClock.uptime < start + 1_000_000 {}
    let beforeResume = TaskClock.uptime
    clock.resume()
    #expect(clock.now - frozen <= TaskClock.uptime - beforeResume)
    #expect(clock.uptime(of: .max - 1) >= 0)
  }

  /// An `advance` that a task nests may put the end of a wait there, by more than the machine's uptime.
  @Test func anAlarmMayBeSetForADateBeforeTheMachineWasStarted() {
    Scheduler.current.loop?.setAlarm(at: -1_000_000_000, .current)
    Scheduler.current.loop?.setAlarm(at: .max, .current)
  }

  private static let largest = Int64.max / 1_000_000_000
  private static let durations: [(seconds: Int64, attoseconds: Int64, nanoseconds: Int64)] = [
    (0, 0, 0), (0, 1_000_000_000, 1), (0, 1, 1), (1, 1_000_000_001, 1_000_000_002), (0, -1_000_000_000, -1),
    (largest, 0, largest * 1_000_000_000), (largest + 1, 0, .max), (.min, 0, .min),
    (largest, 999_999_999_000_000_000, .max),
  ]

  @Test(arguments: durations)
  func durationsAreRoundedUpAsFarAsTheyFit(seconds: Int64, attoseconds: Int64, nanoseconds: Int64) {
    let duration = Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
    #expect(duration.wholeNanoseconds == nanoseconds)
  }
}
