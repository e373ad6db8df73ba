import Foundation
import RunLoopTasks
import RunLoopTracing
import Testing

/// A hang is reported while it lasts and once it is over. No test depends on how long anything takes: each hang lasts until
/// it is reported.
@Suite(.onOwnLoop) struct HangTests {
  private let loop = RunLoop.current
  private let hangs = Box<[RunLoopHang]>([])

  private func report(over limit: Duration = .milliseconds(1)) -> RunLoopHangReporter {
    loop.reportHangs(over: limit) { [hangs] in hangs.add([$0]) }
  }

  /// Blocks the thread until so many reports have come.
  private func hang(until count: Int) -> @Sendable () -> Void {
    { [hangs] in waitUntil { hangs.value.count >= count } }
  }

  @Test func aTaskIsNamedWhileItRunsAndAfterwards() throws {
    let reporter = report()
    let line = #line + 1
    loop.perform(when: .idle, hang(until: 1))
    loop.runPass()
    waitUntil { hangs.value.count >= 2 }
    let (first, last) = (hangs.value[0], hangs.value[1])
    #expect((first.isOver, last.isOver) == (false, true))
    #expect((first.mode, last.mode) == (.default, .default))
    for (hang, isRunning) in [(first, true), (last, false)] {
      let task = try #require(hang.tasks.first)
      #expect(task.origin == "\(#fileID):\(line)" && task.timing == .idle && task.isRunning == isRunning)
      #expect(task.duration <= hang.duration && hang.duration >= .milliseconds(1))
    }
    #expect(last.duration >= first.duration)
    reporter.stop()
  }

  @Test func otherCodeIsNamedAsSuch() {
    let reporter = report()
    addTimer(handler: hang(until: 1))
    loop.runPass()
    waitUntil { hangs.value.count >= 2 }
    #expect(hangs.value[0].tasks.isEmpty && hangs.value[0].description.contains("of it in other code"))
    withExtendedLifetime(reporter) {}
  }

  @Test func aModalRunInACustomModeIsReportedForItself() {
    addTimer(in: .custom)  // the package never hears of the mode
    let reporter = report()
    let mustHang = hang(until: 1)
    loop.perform {
      addTimer(in: .custom, handler: mustHang)
      _ = RunLoop.current.run(mode: .custom, before: .distantFuture)
    }.when(.currentLoopEnded)
    loop.runPass()
    waitUntil { hangs.value.count >= 2 }
    #expect(hangs.value.prefix(2).map(\.mode) == [.custom, .custom])
    withExtendedLifetime(reporter) {}
  }

  @Test func aHandlerThatBlocksHoldsUpNothingAndAHundredReportsWait() {
    let (mayGoOn, isCalled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let reporter = loop.reportHangs(over: .nanoseconds(1)) { [hangs] hang in
      hangs.add([hang])
      isCalled.signal()
      mayGoOn.wait()
    }
    for _ in 1...300 { loop.runPass() }  // each of them is longer than that
    isCalled.waitOrDie("the handler")
    for _ in 1...300 { loop.runPass() }
    for _ in 1...200 { mayGoOn.signal() }
    waitUntil { hangs.value.count >= 101 }
    reporter.stop()
    #expect(hangs.value.count == 101)
  }

  @Test func aReporterMayBeReleasedInItsHandler() {
    let holder = Box<RunLoopHangReporter?>(nil)
    let isReleased = DispatchSemaphore(value: 0)
    holder.value = loop.reportHangs(over: .nanoseconds(1)) { _ in
      holder.value = nil
      isReleased.signal()
    }
    loop.runPass()
    isReleased.waitOrDie("the handler")
    #expect(holder.value == nil)
  }

  @Test func nothingIsReportedAfterTheEnd() {
    let reporter = report(over: .nanoseconds(1))
    reporter.stop()
    for _ in 1...10 { loop.runPass() }
    #expect(hangs.value.isEmpty)
    let other = onLoopThread { RunLoop.current.reportHangs { _ in } }  // its loop has ended
    other.stop()
  }

  @Test func theDescriptionIsOneLine() {
    let reporter = report()
    Thread.current.name = "editor"
    loop.perform(when: .idle, hang(until: 1))
    loop.runPass()
    waitUntil { hangs.value.count >= 2 }
    let text = hangs.value[1].description
    #expect(text.contains(": busy for ") && text.contains(" ms in default mode, ") && text.hasSuffix(" (idle)"))
    #expect(text.contains("of it in the task of \(#fileID):") && !text.contains("\n"))
    withExtendedLifetime(reporter) {}
  }
}
