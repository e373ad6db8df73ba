import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks
@testable import RunLoopTracing

/// A hang is reported while it lasts and once it is over. No test depends on how long anything takes: each hang lasts
/// until it is reported.
@Suite(.onOwnLoop) struct HangTests {
  private let loop = RunLoop.current
  private let hangs = Box<[RunLoopHang]>([])

  private func report(over limit: Duration = .milliseconds(20)) -> RunLoopHangReporter {
    loop.reportHangs(over: limit) { [hangs] in hangs.add([$0]) }
  }

  /// Runs a task that hangs until that is reported, and returns both reports.
  ///
  /// On a busy machine the limit may pass before the task begins. Then the report names no task, and another pass
  /// follows.
  private func reportsOfAHang() throws -> (whileItLasts: RunLoopHang, afterwards: RunLoopHang) {
    for _ in 1...100 {
      let count = hangs.value.count
      loop.perform { [hangs] in waitUntil { hangs.value.count > count } }.when(.idle)
      loop.runPass()
      waitUntil { hangs.value.count >= count + 2 }
      let pair = (hangs.value[count], hangs.value[count + 1])
      if pair.0.tasks.first?.isRunning == true { return pair }
    }
    throw CancellationError()
  }

  @Test func aTaskIsNamedWhileItRunsAndAfterwards() throws {
    let reporter = report()
    let (first, last) = try reportsOfAHang()
    #expect(!first.isOver && last.isOver && first.mode == .default && last.mode == .default)
    for (hang, isRunning) in [(first, true), (last, false)] {
      let task = try #require(hang.tasks.first)
      #expect(task.origin.hasPrefix("\(#fileID):") && task.timing == .idle && task.isRunning == isRunning)
      #expect(task.duration <= hang.duration && hang.duration >= .milliseconds(20))
    }
    #expect(last.duration >= first.duration)
    reporter.stop()
  }

  @Test func theDescriptionIsOneLine() throws {
    let reporter = report()
    let text = try reportsOfAHang().afterwards.description
    #expect(text.contains(": busy for ") && text.contains(" ms in default mode, ") && !text.contains("\n"))
    withExtendedLifetime(reporter) {}
  }

  @Test func aBatchIsNamed() throws {
    let reporter = report()
    let source = addSource { [hangs] _, _ in waitUntil { !hangs.value.isEmpty } }
    source.send(1)
    loop.runPass()
    waitUntil { hangs.value.count >= 2 }
    let batch = try #require(hangs.value[1].tasks.first)
    #expect(batch.origin == "RunLoopSource<Int>" && batch.timing == nil)
    withExtendedLifetime(reporter) {}
  }

  @Test func aJobIsNamed() async throws {
    let thread = RunLoopThread(name: "worker")
    let reporter = try await thread.taskQueue.run { [hangs] in
      RunLoop.current.reportHangs(over: .milliseconds(20)) { hangs.add([$0]) }
    }
    // On a busy machine, the pass in which the reporter has begun may hang as well, without a task.
    await Task(executorPreference: thread) { [hangs] in
      waitUntil { hangs.value.contains { $0.tasks.contains(where: \.isRunning) } }
    }.value
    thread.stop()
    await thread.join()
    await eventually { hangs.value.last?.isOver == true }
    let job = try #require(hangs.value.flatMap(\.tasks).first { $0.isRunning })
    #expect(job.origin == "job" && job.timing == nil)
    withExtendedLifetime(reporter) {}
  }

  /// Of the run that was left nobody knows whether it goes on, until the reporter or the loop ends.
  @Test(arguments: [false, true]) func aHangInTheLastPassIsOver(isReporterKept: Bool) {
    let kept = Box<RunLoopHangReporter?>(nil)
    elsewhere { [hangs] in
      let reporter = RunLoop.current.reportHangs(over: .milliseconds(20)) { hangs.add([$0]) }
      if isReporterKept { kept.value = reporter }
      let isDone = Box(false)
      RunLoop.current.perform(after: .milliseconds(1)) {
        waitUntil { !hangs.value.isEmpty }
        isDone.value = true
      }
      RunLoop.current.runUntil { isDone.value }
    }
    waitUntil { hangs.value.count { $0.isOver } == hangs.value.count { !$0.isOver } }
    #expect(!hangs.value.isEmpty)
    kept.value = nil
  }

  @Test func otherCodeIsNamedAsSuch() {
    let reporter = report()
    addTimer { [hangs] in waitUntil { !hangs.value.isEmpty } }
    loop.runPass()
    waitUntil { hangs.value.count >= 2 }
    #expect(hangs.value[0].tasks.isEmpty && hangs.value[0].description.contains("of it in other code"))
    withExtendedLifetime(reporter) {}
  }

  @Test func aModalRunInACustomModeIsReportedForItself() {
    addTimer(in: .custom)  // the package never hears of the mode
    let reporter = report()
    loop.perform { [hangs] in
      addTimer(in: .custom) { waitUntil { hangs.value.contains { $0.mode == .custom } } }
      _ = RunLoop.current.run(mode: .custom, before: .distantFuture)
    }.when(.currentLoopEnded)
    loop.runPass()
    waitUntil { hangs.value.contains { $0.mode == .custom && $0.isOver } }
    withExtendedLifetime(reporter) {}
  }

  /// The limit passes at about the end of each task.
  @Test func aHangIsToldBeforeItIsOver() {
    let reporter = report(over: .milliseconds(1))
    for number in 0..<300 {
      loop.perform { spin(for: .microseconds(900 + number % 100)) }.when(.idle)
      loop.runPass()
      waitUntil { hangs.value.count.isMultiple(of: 2) }  // so that none is dropped
    }
    reporter.stop()
    let order = hangs.value.map(\.isOver)
    #expect(order.enumerated().allSatisfy { $1 == !$0.isMultiple(of: 2) })
  }

  @Test func aHandlerThatBlocksHoldsUpNothingAndAHundredReportsWait() {
    let (mayGoOn, isCalled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let reporter = loop.reportHangs(over: .nanoseconds(1)) { [hangs] hang in
      hangs.add([hang])
      isCalled.signal()
      mayGoOn.wait()
    }
    for _ in 1...300 { loop.runPass() }  // each is longer than that, so there are two reports of it
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

  @Test func whatWaitsIsToldAfterTheEndOfTheLoop() {
    let (thread, mayGoOn) = (RunLoopThread(name: "hanging"), DispatchSemaphore(value: 0))
    let holder = Box<RunLoopHangReporter?>(nil)
    thread.taskQueue.perform { [hangs] in
      holder.value = RunLoop.current.reportHangs(over: .nanoseconds(1)) { hang in
        mayGoOn.wait()
        hangs.add([hang])
      }
      for _ in 1...3 { RunLoop.current.runPass(mode: .custom) }  // with two reports each
    }
    waitUntil { holder.value != nil }
    thread.stop()
    thread.join()
    for _ in 1...100 { mayGoOn.signal() }
    waitUntil { hangs.value.count > 1 }  // the handler had begun with one of them at most
  }

  /// Short tasks begin and end between any two looks of the alarm, or the loop falls asleep there.
  @Test(arguments: [false, true]) func aHangInWhichMuchHappensIsTold(isOverAtOnce: Bool) {
    let recorder = HangRecorder(name: "", limit: 1_000_000, in: .default, HangReports { [hangs] in hangs.add([$0]) })
    recorder.begin { [unowned recorder] in
      recorder.workBegins(LoopWork(kind: .job, id: 1), at: 1)
      recorder.workEnds(1)
      if isOverAtOnce {
        recorder.loopComes(
          to: LoopMoment(activity: .beforeWaiting, isLast: true, mode: .default, isDrivenPass: false, frame: 2))
      }
      return .none
    }
    waitUntil { hangs.value.count == (isOverAtOnce ? 2 : 1) }
    recorder.end()
    #expect(hangs.value.map(\.isOver) == (isOverAtOnce ? [false, true] : [false]))
  }

  @Test func aModeThatATaskIsTheFirstToUseHidesNothing() {
    let recorder = TraceRecorder(name: "", capacity: 1, of: loop.taskQueue, in: nil)
    let watch = ActivityWatch(loop.taskQueue, for: recorder)
    loop.runPass()
    loop.perform {}.forModes(.custom)
    let hidden = watch.findHiddenRun()
    if case .none = hidden {} else { Issue.record("the loop may have been run in a mode that nobody has seen") }
    watch.end()
    recorder.end()
  }

  /// CoreFoundation calls a source with its lock of the loop held when a mode becomes common. The limit passes there.
  @Test func aReporterHoldsNoLockThatTheLoopNeeds() {
    let reporter = report(over: .nanoseconds(1))
    var context = CFRunLoopSourceContext()
    context.schedule = { _, _, _ in
      spin()
      RunLoop.current.perform(when: .idle, forModes: [.new]) {}
    }
    context.perform = { _ in }
    CFRunLoopAddSource(CFRunLoopGetCurrent(), CFRunLoopSourceCreate(nil, 0, &context), RunLoop.Mode.common.cf)
    for _ in 1...20 {
      loop.perform { CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.new.cf) }
      loop.runPass()
    }
    reporter.stop()
  }

  @Test func theTenLongestTasksAreNamed() throws {
    loop.taskQueue.budget = .seconds(1_000)  // because slices depend on how fast the machine is
    let reporter = report(over: .nanoseconds(1))
    for _ in 1...15 { loop.perform {}.when(.currentLoopEnded) }
    loop.runPass()
    waitUntil { hangs.value.last?.isOver == true }
    let durations = try #require(hangs.value.last).tasks.map(\.duration)
    #expect(durations.count == 10 && durations == durations.sorted(by: >))
    withExtendedLifetime(reporter) {}
  }

  @Test func aReleasedReporterIsOver() {
    do {
      let reporter = report()
      withExtendedLifetime(reporter) {}
    }
    let areNoneLeft = !Scheduler.current.isHeard
    #expect(areNoneLeft)
  }
}
