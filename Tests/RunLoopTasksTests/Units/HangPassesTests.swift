import Foundation
import Testing

@testable import RunLoopTasks
@testable import RunLoopTracing

/// What counts as a hang, in made-up time.
struct HangPassesTests {
  @Test func aPassCountsFromItsWakingToItsSleep() {
    var loop = Course()
    loop.enter(.default)
    loop.take(3)
    loop.fallAsleep()
    loop.take(1_000)  // asleep
    #expect(loop.deadline == nil)
    loop.wake()
    loop.take(12)
    #expect(loop.news == ["so far 10 default"])
    loop.fallAsleep()
    #expect(loop.news == ["over 12 default"])
    loop.wake()
    loop.take(9)
    loop.exit()
    #expect(loop.news == [])
  }

  @Test func aHangThatNoAlarmHasSeenIsReportedTwiceAllTheSame() {
    var loop = Course(hasAlarms: false)
    loop.enter(.default)
    loop.take(11)
    loop.fallAsleep()
    #expect(loop.news == ["so far 11 default", "over 11 default"])
  }

  @Test func passesByHandDoNotCountWhatComesBetween() {
    var loop = Course()
    for isDriven in [true, false, true] {
      loop.enter(.default, isDriven: isDriven)
      loop.take(4)
      if isDriven { loop.fallAsleep() }
      loop.take(4)
      loop.exit()
      loop.take(100)
    }
    #expect(loop.news == [])
  }

  @Test func aRunThatHasSleptAndIsFollowedByAnotherGoesOn() {
    var loop = Course()
    loop.enter(.default)
    loop.fallAsleep()
    loop.wake()
    loop.take(2)
    loop.exit()
    loop.take(20)  // the event, outside
    #expect(loop.news == [])
    loop.enter(.default)
    #expect(loop.news == ["so far 22 between"])
    loop.take(3)
    loop.fallAsleep()
    #expect(loop.news == ["over 25 between"])
  }

  @Test func aNestedRunDoesNotCountForThePassAround() {
    var loop = Course()
    loop.enter(.default)
    loop.take(4)
    loop.begin()
    loop.take(3)
    loop.enter(.custom)
    loop.fallAsleep()
    loop.take(100)
    loop.wake()
    loop.take(9)
    loop.exit()
    #expect(loop.deadline == loop.time + 3)
    loop.take(2)
    loop.end()
    loop.fallAsleep()
    #expect(loop.news == [])
  }

  @Test func aHangInANestedRunIsItsOwn() {
    var loop = Course()
    loop.enter(.default)
    loop.begin()
    loop.enter(.custom)
    loop.take(20)
    #expect(loop.news == ["so far 10 custom"])
    loop.exit()
    #expect(loop.news == ["over 20 custom"])
    loop.end()
    loop.exit()
    #expect(loop.news == [])
  }

  @Test func theTimeBetweenTwoModalRunsIsTheirs() {
    var loop = Course()
    loop.enter(.default)
    loop.begin()
    for _ in 1...5 {
      loop.enter(.custom)
      loop.fallAsleep()
      loop.take(50)
      loop.wake()
      loop.exit()
      loop.take(4)
    }
    #expect(loop.news == [])
    loop.enter(.custom)
    loop.fallAsleep()
    loop.wake()
    loop.exit()
    loop.take(15)  // an event of the panel: it is not known yet whether a run follows
    #expect(loop.news == ["so far 10 default"])
    loop.enter(.custom)
    loop.fallAsleep()
    #expect(loop.news == ["over 15 default"])
    loop.exit()
    loop.end()
    loop.exit()
    #expect(loop.news == [])
  }

  @Test func aHiddenRunIsTakenForASleep() {
    var loop = Course(hasAlarms: false)
    loop.enter(.default)
    loop.begin()
    loop.take(50)
    loop.nesting.beginHiddenRun(in: .custom)
    #expect(loop.deadline == nil)
    loop.take(50)
    loop.enterUnseen(.custom)  // its first activity that is told
    loop.take(4)
    loop.exit()
    loop.end()
    loop.fallAsleep()
    #expect(loop.news == [])
  }

  @Test func whatAnExceptionHasLeftIsOver() {
    var loop = Course()
    loop.enter(.default)
    loop.begin()
    loop.enter(.custom)
    loop.begin()
    loop.unwind(to: 1)  // in the outer run
    loop.fallAsleep()
    loop.take(100)
    loop.wake()
    loop.exit()
    #expect(loop.news == [])
    loop.enter(.default)
    loop.unwind(to: 0)
    loop.enter(.default)
    loop.take(8)
    loop.exit()
    #expect(loop.news == [])
  }

  @Test func theTenLongestTasksAreKept() {
    var loop = Course(limit: 1_000)
    loop.enter(.default)
    for duration in 1...50 {
      loop.begin()
      loop.take(Int64(duration))
      loop.end()
    }
    loop.fallAsleep()
    let pass = loop.latest!.pass
    #expect(pass.longest.map(\.duration) == (41...50).reversed().map(Int64.init))
    #expect(pass.taskCount == 50 && pass.taskTime == 50 * 51 / 2)
  }
}

/// A loop of which everything is made up.
private struct Course {
  var nesting: Nesting<HangPasses>
  private(set) var time: Int64 = 0
  private(set) var latest: HangPasses.Report?
  private let hasAlarms: Bool
  /// The modes of the runs, and `nil` for each task.
  private var stack: [(mode: RunLoop.Mode?, isDriven: Bool)] = []

  init(limit: Int64 = 10, hasAlarms: Bool = true) {
    nesting = Nesting(HangPasses(limit: limit), at: 0)
    self.hasAlarms = hasAlarms
  }

  var deadline: Int64? { nesting.sink.deadline }

  /// The reports since the last call.
  var news: [String] {
    mutating get {
      defer { nesting.sink.reports = [] }
      latest = nesting.sink.reports.last ?? latest
      return nesting.sink.reports.map {
        let mode = $0.mode.map { $0 == .custom ? "custom" : "default" } ?? "between"
        return "\($0.isOver ? "over" : "so far") \($0.time - $0.pass.start) \(mode)"
      }
    }
  }

  mutating func take(_ duration: Int64) {
    let end = time + duration
    if hasAlarms, let deadline, deadline <= end { nesting.sink.reportLimit(at: deadline) }
    time = end
  }

  mutating func enter(_ mode: RunLoop.Mode, isDriven: Bool = false) {
    stack.append((mode, isDriven))
    come(to: .entry)
  }

  mutating func enterUnseen(_ mode: RunLoop.Mode) {
    stack.append((mode, false))
    come(to: .beforeTimers)
  }

  mutating func fallAsleep() {
    come(to: .beforeWaiting)
    come(to: .beforeWaiting, isLast: true)
    latest = nesting.sink.reports.last ?? latest
  }

  mutating func wake() { come(to: .afterWaiting) }

  mutating func exit() {
    come(to: .exit)
    come(to: .exit, isLast: true)
    stack.removeLast()
  }

  mutating func begin() {
    stack.append((nil, false))
    let task = RunLoopTask(Scheduler.current, fileID: #fileID, line: #line, closure: nil)
    nesting.begin(
      RecordedWork(kind: .task(TaskOrigin(task), .idle, lateBy: nil), id: UInt(stack.count)), at: frame, time: time)
  }

  mutating func end() {
    nesting.endWork(UInt(stack.count), at: time)
    stack.removeLast()
  }

  mutating func unwind(to count: Int) { stack.removeLast(stack.count - count) }

  private var frame: UInt { 10_000 - 100 * UInt(stack.count) }

  private mutating func come(to activity: RunLoop.Activity, isLast: Bool = false) {
    let run = stack.last!
    let isDeeper = ![.entry, .exit].contains(activity)
    nesting.come(
      to: LoopMoment(
        activity: activity, isLast: isLast, mode: run.mode!, isDrivenPass: run.isDriven,
        frame: isDeeper ? frame - 10 : frame), at: time)
  }
}
