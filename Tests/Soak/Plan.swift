import Foundation
import RunLoopTasks
import RunLoopVirtualTime

/// All that a task is given. A new argument needs a property, a choice in `random` and its place in `schedule`.
struct Plan: Sendable, CustomStringConvertible {
  enum Form { case chained, oneCall, queue, mainActor }

  var form = Form.queue
  var timing = RunLoopTask.Timing.nextLoopBegan
  var modes: [RunLoop.Mode] = [.default]
  var delay = Duration.zero
  var limit: Duration?
  var order = 0
  var key: Key?
  var interval = Duration.zero
  var action = Action.nothing
  /// The seed of the action's choices.
  var seed: UInt64

  static func random(on loop: SoakLoop, _ random: inout Random) -> Plan {
    var plan = Plan(timing: random.pick(RunLoopTask.Timing.allCases), seed: random.next())
    if loop.isOwnThread { plan.form = random.pick([.chained, .oneCall, .queue]) }
    if loop.isMain, random.once(in: 2) { plan.form = .mainActor }
    if random.once(in: 4) { plan.modes = random.pick([[.common], [.default, .custom], [.custom]]) }
    if random.once(in: 6) {
      plan.key = Key(&random)
      if random.once(in: 3) { plan.interval = .milliseconds(1) }
    }
    if random.once(in: 5) { plan.delay = random.pick([.microseconds(50), .milliseconds(1), .milliseconds(3)]) }
    if random.once(in: 8) { plan.limit = random.pick([.nanoseconds(1), .milliseconds(1)]) }
    if random.once(in: 8) { plan.order = random.pick([-1, 1]) }
    if random.once(in: 3) { plan.action = random.pick(Action.ordinary) }
    return plan
  }

  func schedule(on loop: SoakLoop, _ body: TaskBody) -> RunLoopTask {
    switch form {
    case .chained:
      let task = RunLoop.current.perform { body.run() }.when(timing).forModes(modes).after(delay).order(order)
      if let limit { task.within(limit) }
      return key.map { task.coalesced(by: $0, atMostEvery: interval) } ?? task
    case .oneCall:
      return RunLoop.current.perform(
        when: timing, after: delay, within: limit, order: order, forModes: modes, coalescedBy: key,
        atMostEvery: interval
      ) { body.run() }
    case .queue:
      return loop.queue.perform(
        when: timing, after: delay, within: limit, order: order, forModes: modes, coalescedBy: key,
        atMostEvery: interval
      ) { body.run() }
    case .mainActor:
      return MainActor.perform(
        when: timing, after: delay, within: limit, order: order, forModes: modes, coalescedBy: key,
        atMostEvery: interval
      ) { body.run() }
    }
  }

  var description: String {
    "\(timing) in \(modes.map(\.rawValue))\(key == nil ? "" : " with a key"), \(form), \(action)"
  }
}

extension RunLoop.Mode {
  /// A mode outside the common modes, in which loops run only nested in a task or driven by hand.
  static let custom = RunLoop.Mode("soak")
  static let neverRun = RunLoop.Mode("soak, never run")
}

/// A key for coalescing. The soak counts the keys, because a loop must forget a key with its task.
struct Key: Hashable, Sendable {
  private let number: Int
  private let held = Held(.keys)

  init(_ random: inout Random) { number = random.number(below: 5) }

  static func == (one: Key, other: Key) -> Bool { one.number == other.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

// MARK: - Actions

/// The work of a task, on its loop's thread.
enum Action: Sendable {
  case nothing, work, look, observe, schedule, scheduleElsewhere, runNested
  case runCustomMode

  /// The actions of any task. Only tasks that no thread cancels run the custom mode.
  static let ordinary: [Action] = [
    .work, .work, .look, .observe, .schedule, .schedule, .schedule, .scheduleElsewhere, .runNested,
  ]

  func perform(on loop: SoakLoop, _ random: inout Random) {
    switch self {
    case .nothing: break
    case .work:
      // Takes a little time, which counts towards the budget.
      let end = ContinuousClock.now + .microseconds(random.number(below: 50))
      while ContinuousClock.now < end {}
    case .look:
      let (queue, second) = (loop.queue, Duration.seconds(1))
      if !queue.debugDescription.contains("pending") { complain("\(loop) is \(queue.debugDescription)") }
      let budget = queue.remainingBudget ?? .zero
      if !(.zero...second).contains(budget) { complain("tasks of \(loop) have \(budget) left") }
    case .observe: Self.observe(&random)
    case .schedule: Self.schedule(on: loop, &random)
    case .scheduleElsewhere: scheduleRandomTask(on: .busy(&random), mayScheduleMore: false, &random)
    case .runNested:
      let mode = random.pick([RunLoop.Mode.default, .custom])
      let isAdvanced = random.once(in: 3)
      loop.runNested {
        if isAdvanced {
          RunLoop.current.advance(by: .milliseconds(1), mode: mode)
        } else {
          RunLoop.current.runPass(mode: mode)
        }
      }
    case .runCustomMode:
      let isPlain = random.once(in: 2)
      loop.runNested(mostDepth: .max) {
        // Only pending tasks keep this run alive, so it returns after the last of them.
        if isPlain { _ = RunLoop.current.run(mode: .custom, before: .distantFuture) }
        RunLoop.current.runUntilTasksFinish(mode: .custom)
      }
    }
  }

  private static func schedule(on loop: SoakLoop, _ random: inout Random) {
    for _ in 0...random.number(below: 2) {
      let task = scheduleRandomTask(on: loop, mayScheduleMore: false, &random)
      if random.once(in: 8) { task.cancel() }
      if random.once(in: 8) {
        task.change { $0.when(.idle).after(.microseconds(50)).within(.milliseconds(1)).order(1) }
      }
    }
    if random.once(in: 200) { loop.cancelAll() }
  }

  /// Observes the loop until a task ends that.
  private static func observe(_ random: inout Random) {
    let held = Held(.observers)
    let observer = RunLoop.current.observe(.all, repeats: random.once(in: 2)) { _ in
      held.use()
      Count.observed.add()
    }
    let isInvalidated = random.once(in: 2)  // otherwise it ends when the task releases it
    RunLoop.current.perform {
      if isInvalidated { observer.invalidate() }
      withExtendedLifetime(observer) {}
    }.when(.currentLoopEnded)
  }
}

/// Schedules a task, and one that runs the custom mode if the task needs it.
@discardableResult
func scheduleRandomTask(on loop: SoakLoop, mayScheduleMore: Bool = true, _ random: inout Random) -> SoakTask {
  var plan = Plan.random(on: loop, &random)
  if !mayScheduleMore, plan.action != .nothing { plan.action = .work }
  let task = SoakTask(plan, on: loop)
  if plan.modes == [.custom] { runCustomMode(on: loop, &random) }
  return task
}

/// Schedules a task that runs the custom mode, so that earlier tasks for that mode run.
func runCustomMode(on loop: SoakLoop, _ random: inout Random) {
  SoakTask(
    Plan(timing: random.pick(RunLoopTask.Timing.allCases), action: .runCustomMode, seed: random.next()), on: loop)
}
