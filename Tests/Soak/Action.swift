import Foundation
import RunLoopTasks

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
