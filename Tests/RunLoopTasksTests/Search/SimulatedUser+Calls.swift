import Foundation

@testable import RunLoopTasks

// What the user, or another thread, asks of the engine.
extension SimulatedUser {
  func perform() {
    var plan = plan(modes)
    plan.timing = RunLoopTask.Timing.allCases[choose(3)]
    plan.delay = [.zero, .seconds(3), .seconds(10)][choose(3)]
    plan.limit = [nil, .seconds(5)][choose(2)]
    plan.order = [0, -1, 1][choose(3)]
    plan.key = [nil, TaskKey("k", atMostEvery: .zero), TaskKey("k", atMostEvery: .seconds(4))][choose(3)]
    schedule(plan)
  }

  func plan(_ modes: [RunLoop.Mode]) -> TaskPlan {
    TaskPlan(call: Call("", #fileID, #line), modes: modes, isSendable: true)
  }

  private var modes: [RunLoop.Mode] {
    let (a, b) = (SimulatedLoop.modes[0], SimulatedLoop.modes[1])
    let common: [[RunLoop.Mode]] = loop.configuration.usesCommonModes ? [[.common], [.common, b]] : []
    let all = [[a], [b], [a, b]] + common
    return all[choose(all.count)]
  }

  func schedule(_ plan: TaskPlan) {
    let scheduled = Scheduled(scheduled.count, plan)
    if isPosting || isOnSender { scheduled.isPlain = false }  // the engine may be scheduling another task
    scheduled.isInFlight = true
    note("schedules \(scheduled.number): \(plan.timing) in \(plan.modes.map(\.rawValue)) \(plan.options)")
    noteCause()
    self.scheduled.append(scheduled)
    let closure: @Sendable () -> Void = { [unowned(unsafe) self] in runs(scheduled) }
    scheduled.task = loop.scheduler.schedule(plan, closure)
    scheduled.isInFlight = false
  }

  /// The latest task that no thread is about to schedule.
  private var last: Scheduled? { scheduled.last { !$0.isInFlight } }

  func change() {
    guard let last else { return }
    let choice = choose(5)
    note("changes \(last.number): \(["timing", "modes", "delay", "order", "key"][choice])")
    noteCause()
    last.isPlain = false
    switch choice {
    case 0: last.task.when(RunLoopTask.Timing.allCases[choose(3)])
    case 1:
      last.plan.modes = modes
      last.task.forModes(last.plan.modes)
    case 2: last.task.after([.seconds(3), .zero][choose(2)])
    case 3: last.task.order(choose(2))
    default: last.task.coalesced(by: "k")
    }
  }

  func runNow(at point: Point) throws {
    guard let last else { return }
    try deed("runs \(last.number) now") {
      let outer = runsNow
      runsNow = last
      try inBatch(at: point) {
        let hasRun = last.task.runNow()
        if failure == nil, hasRun != (runsNow == nil) { failure = .hole("runNow() says that a task ran that did not") }
      }
      runsNow = outer
      if last.task.state == .pending { throw End.hole("leaves a task that was to run now") }
    }
  }

  func cancel() {
    noteCause()
    switch choose(3) {
    case 0:
      note("cancels all")
      let all = scheduled.filter { !$0.isInFlight }
      queue.cancelAll()
      // The call of another thread is a message.
      for scheduled in all where scheduled.task.state == .pending && loop.scheduler.isCurrent {
        failure = .hole("leaves a task that was cancelled")
      }
    case 1:
      note("cancels the task with the key")
      queue.cancelTask(coalescedBy: "k")
    default:
      note("cancels the latest task")
      let last = scheduled.last { $0.task != nil }
      if let last, last.task.cancel() { last.isCancelled = true }
    }
  }
}
