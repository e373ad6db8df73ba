import Foundation
import Testing

@testable import RunLoopTasks

/// Does the model notice what is wrong? It accepts the trace of a script, and complains about it once it is doctored.
@Suite struct DoctoredTraceTests {
  struct Lie: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let complaint: Complaint
    let script: Script
    let doctor: @Sendable (inout [Event]) -> Void

    init(
      _ text: String, _ complaint: Complaint, _ script: Script = ordinary,
      doctor: @escaping @Sendable (inout [Event]) -> Void
    ) {
      (testDescription, self.complaint, self.script, self.doctor) = (text, complaint, script, doctor)
    }
  }

  @Test(arguments: exactlyOnce + timing + runs + time + keys + jobs) func theModelNotices(lie: Lie) {
    var trace = Driver().perform(lie.script).trace
    #expect(Model.complaint(about: trace) == nil)
    lie.doctor(&trace)
    #expect(Model.complaint(about: trace) == lie.complaint)
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

  /// Two tasks at `beforeWaiting`, the first of which schedules another, one at `afterWaiting`, and an idle one. They run
  /// as 1, 2, 3, 5, 4.
  private static let ordinary = Script(steps: [
    task(1, ended, task(5, ended)), .does(.perform(2, ended, .queue(.other))), task(3), task(4, idle),
    run(.blocking, keptAlive: true),
  ])
  private static let twoPolls = Script(steps: [task(1), run(.poll), run(.poll)])
  private static let onePass = Script(steps: [run(.pass)])
  private static let abandoned = Script(steps: [task(1)], isRunToTheEnd: false)
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
  private static let twoJobs = Script(
    steps: [.does(.job(.own), run(.pass)), .does(.job(.other)), run(.blocking)], hasJobs: true)

  // MARK: Lies

  static let exactlyOnce = [
    Lie("a task runs twice", .ranAgain(1)) { $0.insert(contentsOf: events(1), at: $0.end(of: 1)) },
    Lie("a cancelled task runs", .ranAgain(3)) { $0.insert(.cancelled(3, wasInTime: true), at: $0.start(of: 1)) },
    Lie("a cancellation lies", .wrongAnswer("task1.cancel() returned true")) {
      $0.append(.cancelled(1, wasInTime: true))
    },
    Lie("a task misses its turn", .missed(2, .beforeWaiting)) { $0.removeTask(2) },
    Lie("a task is never run", .neverRan([1]), twoPolls) { $0 = $0.prefix { !$0.isReturn } + [.finished] },
    Lie("a state is wrong", .wrongState(1, nil, expected: .finished)) { $0.append(.looked([:], count: 0)) },
    Lie("a count is wrong", .wrongAnswer("queue.count is 1, not 0"), onePass) { $0.append(.looked([:], count: 1)) },
    Lie("a task outlives its loop", .wrongState(1, .pending, expected: .cancelled), abandoned) {
      $0[$0.count - 1] = .threadEnded([1: .pending], closuresLeft: 0)
    },
    Lie("a closure outlives its loop", .leaked(1), abandoned) {
      $0[$0.count - 1] = .threadEnded([1: .cancelled], closuresLeft: 1)
    },
  ]

  static let timing = [
    Lie("a task runs late", .missed(2, .beforeWaiting)) { $0.moveTask(2, to: $0.start(of: 3)) },
    Lie("a task runs early", .notDue(3, .beforeWaiting)) { $0.moveTask(3, to: $0.start(of: 1)) },
    Lie("an idle task runs in a pass with others", .notDue(4, .beforeWaiting)) { $0.moveTask(4, to: $0.end(of: 2)) },
    Lie("a task runs between activities", .notDue(1, nil)) { $0.moveTask(1, to: $0.firstIndex(where: \.isCall)! + 1) },
    Lie("a task that was not left behind runs at entry", .notDue(1, .entry), twoPolls) {
      $0.moveTask(1, to: $0.firstIndex { $0.isActivity(.entry, .tasks) }! + 1)
    },
    Lie("a task that was left behind misses the entry", .missed(1, .entry), twoPolls) { $0.removeTask(1) },
    Lie("tasks change their order", .outOfOrder(2, before: 1)) { $0.moveTask(2, to: $0.start(of: 1)) },
    Lie(
      "a higher order comes first", .outOfOrder(1, before: 2),
      Script(steps: [task(1, ended(order: 1)), task(2, ended(order: -1)), run(.blocking)])
    ) { $0.moveTask(1, to: $0.start(of: 2)) },
    Lie("a task runs in the batch that schedules it", .notDue(5, .beforeWaiting)) {
      $0.moveTask(5, to: $0.end(of: 2))
    },
    Lie("a batch takes more than its budget", .overBudget(2)) { $0.insert(.setBudget(.oneTask), at: 0) },
    Lie(
      "a batch leaves some of its budget", .missed(2, .beforeWaiting),
      Script(steps: [.does(.budget(.oneTask, .own)), task(1, ended), task(2, ended), run(.blocking)])
    ) { $0.insert(.setBudget(.huge), at: 1) },
    Lie(
      "an idle task does not give way to a timer", .notDue(2, .beforeWaiting),
      Script(steps: [task(1, idle, .does(.timer(.default))), task(2, idle), run(.blocking)])
    ) { $0.moveTask(2, to: $0.end(of: 1)) },
  ]

  static let runs = [
    Lie("a run sleeps on tasks", .slept(on: [3, 4, 5])) { $0.insert(.slept(.default), at: $0.wakings[0]) },
    Lie("a run sleeps though nothing is left", .didNotReturn(.default)) {
      $0.insert(.slept(.default), at: $0.wakings.last!)
    },
    Lie(
      "a run sleeps until a timer though an idle task is left", .letTimePass(on: [2]),
      Script(steps: [task(1, idle, task(2, idle)), run(.blocking)])
    ) { $0.insert(.letTimePass, at: $0.wakings[0]) },
    Lie("a run returns too early", .leftBehind([3, 4, 5])) { trace in
      trace.insert(trace[trace.firstIndex { $0.isActivity(.exit, .begins) }!], at: trace.wakings[0])
    },
    Lie("a run is not entered", .notEntered(.default)) { trace in
      trace.removeSubrange((trace.firstIndex(where: \.isCall)! + 1)..<trace.firstIndex(where: \.isReturn)!)
    },
    Lie("a pass does not wait", .notOnePass([.entry, .beforeWaiting, .exit]), onePass) { trace in
      for stage in [Stage.begins, .tasks, .tasksOver, .ends] {
        trace.removeAll { $0.isActivity(.afterWaiting, stage) }
      }
    },
    Lie("a pass has run a task", .wrongAnswer("runPass returned true"), onePass) { $0.replaceReturn(by: true) },
    Lie("a run until a condition gives up", .wrongAnswer("runUntil returned false"), Script(steps: [run(.until)])) {
      $0.replaceReturn(by: false)
    },
  ]

  static let time = [
    Lie("a task runs before its delay has ended", .notDue(1, .beforeWaiting), advanced) {
      $0.moveTask(1, to: $0.start(of: 2))
    },
    Lie("a task runs long after its delay has ended", .missed(2, .beforeWaiting), advanced) {
      $0.moveTask(2, to: $0.start(of: 1))
    },
    Lie("an advance makes too few passes", .wrongAnswer("advance(by:) returned too early"), advanced) {
      $0.removeSubrange($0.lastPass)
    },
    Lie("an advance makes too many passes", .wrongAnswer("advance(by:) made a pass too many"), advanced) {
      $0.insert(contentsOf: $0[$0.lastPass], at: $0.lastPass.upperBound)
    },
    Lie("an advance has run no task", .wrongAnswer("advance(by:) returned false"), advanced) {
      $0.replaceReturn(by: false)
    },
    Lie("a task is not due at its limit", .missed(2, .entry), limited) { $0.removeTask(2) },
    Lie(
      "a run without a limit does not wait for a delay", .leftBehind([1]),
      Script(steps: [task(1, ended(after: 2)), run(.blocking)])
    ) { $0.removeAll { if case .stopped = $0 { true } else { false } } },
  ]

  static let keys = [
    Lie("a replaced task runs", .ranAgain(1), debounced) { $0.insert(contentsOf: events(1), at: $0.start(of: 2)) },
    Lie("a task whose key was cancelled runs", .ranAgain(2), debounced) {
      $0.insert(.cancelledKey(1, .own), at: $0.start(of: 2))
    },
    Lie("a throttled task runs before its interval has ended", .notDue(2, .beforeWaiting), throttled) { trace in
      let turns = trace.indices.filter { trace[$0].isActivity(.beforeWaiting, .tasks) }
      trace.moveTask(2, to: turns[1] + 1)
    },
  ]

  static let jobs = [
    Lie("a job begins inside another", .wrongJob("job 2 began inside job 1"), twoJobs) {
      $0.removeAll { if case .jobEnded(1) = $0 { true } else { false } }
    },
    Lie("jobs change their order", .wrongJob("job 2 began before jobs [1, 2]"), twoJobs) {
      $0.removeAll { if case .jobBegan(1) = $0 { true } else { false } }
    },
    Lie("a job is slept on", .wrongJob("the loop slept on jobs [1, 2]"), twoJobs) {
      $0.insert(.slept(.default), at: $0.firstIndex(where: \.isCall)!)
    },
    Lie("a job never runs", .wrongJob("jobs [1, 2] never ran"), twoJobs) {
      $0 = $0.prefix { !$0.isCall } + [.finished]
    },
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

  fileprivate mutating func replaceReturn(by value: Bool) { self[firstIndex(where: \.isReturn)!] = .runReturned(value) }

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
