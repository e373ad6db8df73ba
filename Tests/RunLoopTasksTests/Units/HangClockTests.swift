import Foundation
import Testing

@testable import RunLoopTasks
@testable import RunLoopTracing

/// A process that stands still has no hang, in made-up time. The thread that makes the looks stands still, too.
struct HangClockTests {
  private let hangs = Box<[RunLoopHang]>([])
  private let time = Box<Int64>(1_000_000)  // in milliseconds
  /// Signalled when the handler is released.
  private let hasEnded = DispatchSemaphore(value: 0)
  private let recorder: HangRecorder

  init() {
    let token = Token { [hasEnded] in hasEnded.signal() }
    let reports = HangReports { [hangs, token] hang in
      hangs.add([hang])
      token.use()
    }
    recorder = HangRecorder(
      name: "", limit: 250_000_000, in: nil, reports,
      uptime: { [time] in time.value * 1_000_000 })
  }

  private func take(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }

  private func come(to activity: RunLoop.Activity, isLast: Bool = false) {
    recorder.loopComes(
      to: LoopMoment(activity: activity, isLast: isLast, mode: .default, isDrivenPass: false, frame: 1_000))
  }

  /// What was reported, once all of it is.
  private func reports() -> [Duration] {
    recorder.endAfterAll()
    hasEnded.waitOrDie("the end of the reports")
    return hangs.value.map(\.duration)
  }

  @Test(arguments: [225, 260, 700, 100_000] as [Int64]) func aStopInAShortTaskIsNoHang(stop: Int64) {
    come(to: .entry)
    recorder.workBegins(LoopWork(kind: .job, id: 1), at: 500)
    take(stop)
    recorder.workEnds(1)
    take(10)
    come(to: .beforeWaiting, isLast: true)
    #expect(reports() == [])
  }

  @Test func aStopBetweenRunsIsNoHang() {
    for _ in 1...3 {
      come(to: .entry)
      come(to: .beforeWaiting, isLast: true)
      come(to: .afterWaiting)
      come(to: .exit)
      come(to: .exit, isLast: true)
      take(700)
    }
    come(to: .entry)
    come(to: .beforeWaiting, isLast: true)
    #expect(reports() == [])
  }

  @Test func aStopInASleepIsNoHang() {
    come(to: .entry)
    come(to: .beforeWaiting, isLast: true)
    take(700)
    come(to: .afterWaiting)
    take(10)
    come(to: .beforeWaiting, isLast: true)
    #expect(reports() == [])
  }

  /// Beside other programs, a look may come late while the loop hangs.
  @Test func whatFollowsAStopCounts() {
    come(to: .entry)
    take(700)
    recorder.look { .none }
    take(100)
    recorder.look { .none }
    #expect(reports() == [.milliseconds(275)])  // 175 to the first look, and what followed it
  }
}
