import Foundation
import Testing

@testable import RunLoopTasks

/// Does the model notice what is wrong? It accepts the trace of a script, and complains about it once it is doctored.
@Suite(.onOwnLoop) struct DoctoredTraceTests {
  struct Lie: Sendable, CustomTestStringConvertible {
    let complaint: String
    let script: Script
    /// Makes the trace tell the lie.
    let doctor: @Sendable (inout [Event]) -> Void

    init(_ complaint: String, _ script: Script = ordinary, doctor: @escaping @Sendable (inout [Event]) -> Void) {
      (self.complaint, self.script, self.doctor) = (complaint, script, doctor)
    }

    var testDescription: String { complaint }
  }

  @Test(arguments: exactlyOnce + timing + runs + outOfTurn + flushes + drain + time + keys + jobs) func theModelNotices(
    lie: Lie
  ) {
    var trace = Driver().perform(lie.script).trace
    #expect(Model.complaint(about: trace) == nil)
    lie.doctor(&trace)
    #expect(Model.complaint(about: trace)?.description == lie.complaint)
  }

  // MARK: Scripts

  private static let (ended, idle) = (Wish(timing: .currentLoopEnded), Wish(timing: .idle))

  private static func task(_ number: TaskNumber, _ wish: Wish = Wish(), _ body: Step...) -> Step {
    Step(action: .perform(number, wish, .chain), body: body)
  }

  private static func ended(
    key: Int? = nil, every interval: HalfHours = 0, after delay: HalfHours = 0, order: Int = 0
  ) -> Wish {
    Wish(timing: .currentLoopEnded, key: key, interval: interval, delay: delay, order: order)
  }

  private static func run(_ kind: RunKind, _ mode: RunLoop.Mode = .default, keptAlive: Bool = false) -> Step {
    .does(.run(kind, mode, keptAlive: keptAlive))
  }

  /// Two tasks at `beforeWaiting`, the first of which schedules another, one at `afterWaiting`, and an idle one. They
  /// run as 1, 2, 3, 5, 4.
  private static let ordinary = Script(steps: [
    task(1, ended, task(5, ended)), .does(.perform(2, ended, .queue(.other))), task(3), task(4, idle),
    run(.blocking, keptAlive: true),
  ])
  private static let twoPolls = Script(steps: [task(1), run(.poll), run(.poll)])
  private static let onePass = Script(steps: [run(.pass)])
  private static let abandoned = Script(steps: [task(1)], isRunToTheEnd: false)
  private static let ordered = Script(steps: [task(1, ended(order: 1)), task(2, ended(order: -1)), run(.blocking)])
  private static let advanced = Script(steps: [task(1, ended(after: 4)), task(2, ended(after: 2)), run(.advance(4))])
  private static let throttled = Script(steps: [
    task(1, ended(key: 1, every: 2)), run(.blocking), task(2, ended(key: 1, every: 2)), run(.advance(1)),
    run(.advance(1)),
  ])
  private static let debounced = Script(steps: [
    task(1, ended(key: 1, after: 2)), task(2, ended(key: 1, after: 2)), run(.advance(2)),
  ])
  /// The second task inherits the limit of the first.
  private static let limited = Script(steps: [
    task(1, Wish(timing: .idle, modes: [.custom], key: 1, limit: 1)),
    task(2, Wish(timing: .idle, modes: [.custom], key: 1)), run(.advance(1)), run(.pass, .custom),
  ])
  /// The first task schedules the third, which so waits for the next batch.
  private static let called = Script(steps: [
    task(1, ended, task(3, ended)), task(2, ended), task(4, idle), .does(.runTasks(.currentLoopEnded)),
    run(.blocking, keptAlive: true),
  ])
  /// The first task runs between two passes, and its interval begins with that.
  private static let runNow = Script(steps: [
    task(1, ended(key: 1, every: 2)), .does(.runNow(1)), task(2, ended(key: 1, every: 2)), run(.advance(1)),
    run(.advance(1)),
  ])
  /// The pass under way runs the first task; the drain has no budget, and runs the second and third, then the fourth,
  /// and at the end the seventh.
  private static let stopped = Script(
    steps: [
      .does(.budget(.oneTask, .own)), task(1), task(2, Wish(), task(4, idle, task(6, Wish(), task(7)))), task(3, idle),
      task(5, Wish(modes: [.custom])),
    ], isRunToTheEnd: false, hasJobs: true)
  /// The first task runs the third, and then the fifth and the fourth, which has replaced the second, but not the
  /// sixth.
  private static let flushed = Script(steps: [
    task(1, ended, .does(.runAllTasks)), task(2, ended(key: 1, after: 2)),
    task(3, idle, task(4, ended(key: 1, after: 4)), task(5, idle, task(6, idle))), run(.pass),
  ])
  /// The pass under way runs the first task; the drain runs the third, then the second, which waits, and then the
  /// fourth.
  private static let stoppedAndFlushed = Script(
    steps: [
      .does(.budget(.oneTask, .own)), task(1), task(2, ended(after: 2), task(4, ended(after: 2))), task(3),
    ], isRunToTheEnd: false, hasJobs: true, runsDelayedTasks: true)
  private static let twoJobs = Script(
    steps: [.does(.job(.own), run(.pass)), .does(.job(.other)), run(.blocking)], hasJobs: true)

  // MARK: Lies

  static let flushes = [
    Lie("task2 ran though it was not pending", flushed) {
      $0.insert(contentsOf: events(2), at: $0.start(of: 4))
    },
    Lie("runAllTasks() returned 2", flushed) { trace in
      trace = trace.map { if case .runAllTasksReturned = $0 { .runAllTasksReturned(2) } else { $0 } }
    },
    Lie("task4 was pending, but did not run", flushed) { $0.removeTask(4) },
    Lie("task4 ran where all run, instead of task5", flushed) { $0.moveTask(4, to: $0.start(of: 5)) },
    Lie("task6 ran where all run, instead of task0", flushed) { $0.insert(contentsOf: events(6), at: $0.end(of: 4)) },
    Lie("task3 was due at round 1 of the drain, but did not run", stoppedAndFlushed) {
      $0.moveTask(2, to: $0.start(of: 3))
    },
    Lie("task4 was pending, but did not run", stoppedAndFlushed) { $0.removeTask(4) },
  ]

  static let exactlyOnce = [
    Lie("task1 ran though it was not pending") { $0.insert(contentsOf: events(1), at: $0.end(of: 1)) },
    Lie("task1.cancel() returned true") { $0.append(.cancelled(1, wasInTime: true)) },
    Lie("task2 was due at beforeWaiting, but did not run") { $0.removeTask(2) },
    Lie("tasks [1] never ran", twoPolls) { $0 = $0.prefix { !$0.isReturn } + [.finished] },
    Lie("task1 is unknown, not finished") { $0.append(.looked([:], count: 0)) },
    Lie("queue.count is 1, not 0", onePass) { $0.append(.looked([:], count: 1)) },
    Lie("1 closures were not released at the end of the thread", abandoned) {
      $0[$0.count - 1] = .threadEnded([1: .cancelled], closuresLeft: 1)
    },
  ]

  static let timing = [
    // too early; an idle one in a pass with others; in the batch that schedules it; without having been left behind
    Lie("task3 ran at beforeWaiting, where it was not due") { $0.moveTask(3, to: $0.start(of: 1)) },
    Lie("task4 ran at beforeWaiting, where it was not due") { $0.moveTask(4, to: $0.end(of: 2)) },
    Lie("task5 ran at beforeWaiting, where it was not due") { $0.moveTask(5, to: $0.end(of: 2)) },
    Lie("task1 ran at entry, where it was not due", twoPolls) {
      $0.moveTask(1, to: $0.firstIndex { $0.isActivity(.entry, .tasks) }! + 1)
    },
    Lie("task1 ran between activities") { $0.moveTask(1, to: $0.firstIndex(where: \.isCall)! + 1) },
    Lie("task2 ran before task1, which is before it in line") { $0.moveTask(2, to: $0.start(of: 1)) },
    Lie("task1 ran before task2, which is before it in line", ordered) { $0.moveTask(1, to: $0.start(of: 2)) },
    Lie("task2 ran though the budget was used up") { $0.insert(.setBudget(.oneTask), at: 0) },
  ]

  static let runs = [
    Lie("the loop slept while tasks [3, 4, 5] were in line") { $0.insert(.slept(.default), at: $0.wakings[0]) },
    Lie("a run did not return though nothing was left") { $0.insert(.slept(.default), at: $0.wakings.last!) },
    Lie("a run without a limit was left while tasks [3, 4, 5] were pending") { trace in
      trace.insert(trace[trace.firstIndex { $0.isActivity(.exit, .begins) }!], at: trace.wakings[0])
    },
    Lie("a run was not entered though tasks were pending") { trace in
      trace.removeSubrange((trace.firstIndex(where: \.isCall)! + 1)..<trace.firstIndex(where: \.isReturn)!)
    },
    Lie(#"a pass went through ["entry", "beforeWaiting", "exit"]"#, onePass) { trace in
      for stage in [Stage.begins, .tasks, .tasksOver, .ends] {
        trace.removeAll { $0.isActivity(.afterWaiting, stage) }
      }
    },
    Lie("runPass returned true", onePass) { $0[$0.firstIndex(where: \.isReturn)!] = .runReturned(true) },
  ]

  static let outOfTurn = [
    Lie("task2 was due at runTasks, but did not run", called) { $0.removeTask(2) },
    Lie("task3 ran at runTasks, where it was not due", called) { $0.moveTask(3, to: $0.end(of: 2)) },
    Lie("task4 ran at runTasks, where it was not due", called) { $0.moveTask(4, to: $0.end(of: 2)) },
    Lie("task2 ran though the budget was used up", called) { $0.insert(.setBudget(.oneTask), at: 0) },
    Lie("runTasks returned false", called) { trace in
      trace[trace.firstIndex { if case .runTasksReturned = $0 { true } else { false } }!] = .runTasksReturned(false)
    },
    Lie("task1.runNow() returned false", runNow) { $0[$0.end(of: 1)] = .runNowReturned(false) },
    Lie("task1 ran between activities", runNow) { $0.moveTask(1, to: $0.end(of: 1) + 1) },
    Lie("task2 ran at beforeWaiting, where it was not due", runNow) { trace in
      trace.moveTask(2, to: trace.firstIndex { $0.isActivity(.beforeWaiting, .tasks) }! + 1)
    },
  ]

  static let drain = [
    Lie("the thread has ended without a drain", stopped) { trace in
      trace.removeSubrange(trace.firstIndex { $0.isActivity(.exit, .begins) }!..<(trace.count - 1))
    },
    Lie("task3 was due at round 1 of the drain, but did not run", stopped) { $0.removeTask(3) },
    Lie("task6 was due at round 3 of the drain, but did not run", stopped) { $0.removeTask(6) },
    Lie("task3 ran before task2, which is before it in line", stopped) { $0.moveTask(3, to: $0.start(of: 2)) },
    Lie("task5 ran at round 3 of the drain, where it was not due", stopped) {
      $0.insert(contentsOf: events(5), at: $0.end(of: 6))
    },
    Lie("task7 ran at round 3 of the drain, where it was not due", stopped) {
      $0.insert(contentsOf: events(7), at: $0.end(of: 6))
    },
  ]

  static let time = [
    Lie("task1 ran at beforeWaiting, where it was not due", advanced) { $0.moveTask(1, to: $0.start(of: 2)) },
    Lie("advance(by:) returned too early", advanced) { $0.removeSubrange($0.lastPass) },
    Lie("advance(by:) made a pass too many", advanced) {
      $0.insert(contentsOf: $0[$0.lastPass], at: $0.lastPass.upperBound)
    },
    Lie("task2 was due at entry, but did not run", limited) { $0.removeTask(2) },
  ]

  static let keys = [
    Lie("task1 ran though it was not pending", debounced) { $0.insert(contentsOf: events(1), at: $0.start(of: 2)) },
    Lie("task2 ran though it was not pending", debounced) { $0.insert(.cancelledKey(1, .own), at: $0.start(of: 2)) },
    Lie("task2 ran at beforeWaiting, where it was not due", throttled) { trace in
      let turns = trace.indices.filter { trace[$0].isActivity(.beforeWaiting, .tasks) }
      trace.moveTask(2, to: turns[1] + 1)
    },
  ]

  static let jobs = [
    Lie("job 2 began inside job 1", twoJobs) { $0.removeAll { if case .jobEnded(1) = $0 { true } else { false } } },
    Lie("job 2 began before jobs [1, 2]", twoJobs) {
      $0.removeAll { if case .jobBegan(1) = $0 { true } else { false } }
    },
    Lie("the loop slept on jobs [1, 2]", twoJobs) { $0.insert(.slept(.default), at: $0.firstIndex(where: \.isCall)!) },
  ]
}

/// What is recorded when a task runs.
private func events(_ number: TaskNumber) -> [Event] { [.taskBegan(number), .taskEnded(number)] }

extension [Event] {
  fileprivate func start(of number: TaskNumber) -> Int {
    firstIndex { if case .taskBegan(number) = $0 { true } else { false } }!
  }
  fileprivate func end(of number: TaskNumber) -> Int {
    firstIndex { if case .taskEnded(number) = $0 { true } else { false } }! + 1
  }

  /// Where the loop wakes.
  fileprivate var wakings: [Int] { indices.filter { self[$0].isActivity(.afterWaiting, .begins) } }

  /// The last pass of the first call that runs the loop.
  fileprivate var lastPass: Range<Int> {
    let end = firstIndex(where: \.isReturn)!
    return self[..<end].lastIndex { $0.isActivity(.entry, .begins) }!..<end
  }

  fileprivate mutating func removeTask(_ number: TaskNumber) { removeSubrange(start(of: number)..<end(of: number)) }

  fileprivate mutating func moveTask(_ number: TaskNumber, to index: Int) {
    let range = start(of: number)..<end(of: number)
    let events = self[range]
    removeSubrange(range)
    insert(contentsOf: events, at: index > range.lowerBound ? index - range.count : index)
  }
}

extension Event {
  fileprivate func isActivity(_ activity: RunLoop.Activity, _ stage: Stage) -> Bool {
    if case .activity(activity, _, stage) = self { true } else { false }
  }
  fileprivate var isCall: Bool { if case .runCalled = self { true } else { false } }
  fileprivate var isReturn: Bool { if case .runReturned = self { true } else { false } }
}
