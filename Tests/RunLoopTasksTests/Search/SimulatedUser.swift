import Foundation

@testable import RunLoopTasks

/// Decides what happens where a simulated loop calls out, and looks for what must not happen.
final class SimulatedUser: @unchecked Sendable {
  // Unchecked, because a simulation stays on one thread.

  /// Why a simulation ends before its time.
  enum End: Error {
    /// The loop sleeps though it must not, turns for nothing, or runs tasks in the wrong order.
    case hole(String)
    /// Too much happens.
    case tooLong
  }

  /// Where something may happen.
  enum Point {
    case outside, source, timer, task
    /// In an observer that is called before the package's first one, at `entry`.
    case entryFirst
    /// In an observer before or after the one that runs tasks.
    case before(RunLoop.Activity), after(RunLoop.Activity)
    /// In an observer that is called after the package's last one.
    case last(RunLoop.Activity)
  }

  /// A task that was scheduled, and what is known of it.
  final class Scheduled: @unchecked Sendable {
    let number: Int
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var task: RunLoopTask!
    var plan: TaskPlan
    /// What another thread changes takes effect when the loop's thread reads it.
    var formerModes: [RunLoop.Mode] = []
    /// Whether its place in line is that of its number.
    var isPlain: Bool
    var rank: (Int, Int) { (plan.order, number) }

    init(_ number: Int, _ plan: TaskPlan) {
      (self.number, self.plan) = (number, plan)
      isPlain = plan.delay == .zero && plan.limit == nil && plan.key == nil
    }
  }

  static let (maxCallouts, maxTurns, maxDepth) = (400, 12, 4)
  /// How many turns in a row may begin for nothing. An observer that schedules a task in each pass delays others so.
  private static let maxIdleTurns = 6

  private let loop: SimulatedLoop
  private var choices: Choices
  private(set) var trace: [String]?
  private var callouts = 0
  private var scheduled: [Scheduled] = []
  /// How many turns have begun since something has happened.
  private var idleTurns = 0
  /// How many turns have begun, and how many things have happened that may cause some.
  private var (turns, causes) = (0, 0)
  /// What a task has found, which cannot throw.
  private var failure: End?
  private var isPosting = false
  /// The tasks of the batch under way.
  private var batch: [Scheduled] = []

  init(_ loop: SimulatedLoop, _ choices: Choices, isTraced: Bool) {
    (self.loop, self.choices) = (loop, choices)
    trace = isTraced ? [] : nil
  }

  var made: [(choice: Int, count: Int)] { choices.made }
  func choose(_ count: Int) -> Int { choices.next(count) }

  func note(_ text: @autoclosure () -> String) {
    trace?.append(String(repeating: "  ", count: loop.running.count) + text())
  }

  private func noteCause() { (idleTurns, causes) = (0, causes + 1) }

  // MARK: What may happen

  /// Lets a few runs take place, the user doing something outside them too.
  func go(runs: Int) throws {
    for _ in 0..<runs {
      try callOut(.outside)
      causes += 1
      try loop.run(SimulatedLoop.modes[choose(2)])
    }
    // A run may make a turn to find its mode empty, and some to find that a task must wait.
    if turns > 3 * causes + 8 { throw End.hole("\(turns) turns for \(causes) causes") }
  }

  func callOut(_ point: Point) throws {
    callouts += 1
    guard callouts <= Self.maxCallouts else { throw End.tooLong }
    let choice = choose(15)
    if choice != 0 { note("[\(point)]") }
    switch choice {
    case 1: perform()
    case 2: post { self.perform() }
    case 3: amend()
    case 4: post { self.amend() }
    case 5: cancel()
    case 6: post { self.cancel() }
    case 7:
      deed("stops the run") { loop.stop() }
    case 8:
      guard loop.configuration.usesCommonModes else { return }
      deed("makes B a common mode") { loop.makeCommon(SimulatedLoop.modes[1]) }
      batch = []  // tasks are due now that were not due before
    case 9:
      let budget: Duration? = [nil, .nanoseconds(1)][choose(2)]
      deed("sets the budget") { queue.budget = budget }
    case 10: deed("lets time pass") { loop.letPass([2, 5, 20][choose(3)]) }
    case 11: try nest(at: point) { try loop.run($0) }
    case 12: try nest(at: point) { try loop.run($0, .poll) }
    case 13: try nest(at: point) { try loop.run($0, .pass) }
    case 14:
      let duration = Duration.seconds([4, 11][choose(2)])
      try nest(at: point) {
        note("advances by \(duration)")
        try loop.advance(by: duration, $0)
      }
    default: break
    }
  }

  private func deed(_ text: String, _ body: () -> Void) {
    note(text)
    noteCause()
    body()
  }

  /// Runs the loop in a mode. See `WakingSearchTests` for what is excluded.
  private func nest(at point: Point, _ run: (RunLoop.Mode) throws -> Void) throws {
    let mode = loop.mode(SimulatedLoop.modes[choose(2)])
    guard loop.running.count < Self.maxDepth else { return }
    switch point {
    case .entryFirst: return
    case .last where !(mode.isObserved || mode.isCommon && loop.mode(.common).isObserved): return
    default: break
    }
    noteCause()
    try run(mode.name)
    batch = []  // tasks are due now that were not due before
  }

  private var queue: RunLoopTaskQueue { RunLoopTaskQueue(scheduler: loop.scheduler) }

  /// Another thread does something.
  private func post(_ body: () -> Void) {
    note("on another thread:")
    ThreadLocalScheduler.simulate(nil, during: body)
  }

  /// Another thread does something while the engine calls the host without its lock.
  func postDuringCall() {
    guard !isPosting, choose(2) == 1 else { return }
    isPosting = true
    defer { isPosting = false }
    note("in the midst of the engine:")
    switch choose(3) {
    case 0: post { self.perform() }
    case 1: post { self.amend() }
    default: post { self.cancel() }
    }
  }

  func postDuringSleep(for mode: RunLoop.Mode) {
    note("while it sleeps, another thread:")
    ThreadLocalScheduler.simulate(nil) { schedule(TaskPlan(modes: [mode])) }
  }

  private func perform() {
    var plan = TaskPlan(timing: RunLoopTask.Timing.allCases[choose(3)], modes: modes)
    plan.delay = [.zero, .seconds(3), .seconds(10)][choose(3)]
    plan.limit = [nil, .seconds(5)][choose(2)]
    plan.order = [0, -1, 1][choose(3)]
    plan.key = [nil, TaskKey("k", atMostEvery: .zero), TaskKey("k", atMostEvery: .seconds(4))][choose(3)]
    schedule(plan)
  }

  private var modes: [RunLoop.Mode] {
    let (a, b) = (SimulatedLoop.modes[0], SimulatedLoop.modes[1])
    let common: [[RunLoop.Mode]] = loop.configuration.usesCommonModes ? [[.common], [.common, b]] : []
    let all = [[a], [b], [a, b]] + common
    return all[choose(all.count)]
  }

  private func schedule(_ plan: TaskPlan) {
    let scheduled = Scheduled(scheduled.count, plan)
    if isPosting { scheduled.isPlain = false }  // the engine may be scheduling another task
    note("schedules \(scheduled.number): \(plan.timing) in \(plan.modes.map(\.rawValue)) \(plan.options)")
    noteCause()
    self.scheduled.append(scheduled)
    let closure: @Sendable () -> Void = { [unowned(unsafe) self] in runs(scheduled) }
    scheduled.task = queue.schedule(plan, isSendable: true, fileID: #fileID, line: #line, closure)
  }

  /// The latest task that the engine has taken.
  private var last: Scheduled? { scheduled.last { $0.task != nil } }

  private func amend() {
    guard let last else { return }
    let choice = choose(5)
    note("amends \(last.number): \(["timing", "modes", "delay", "order", "key"][choice])")
    noteCause()
    last.isPlain = false
    switch choice {
    case 0: last.task.when(RunLoopTask.Timing.allCases[choose(3)])
    case 1:
      last.formerModes += last.plan.modes
      last.plan.modes = modes
      last.task.forModes(last.plan.modes)
    case 2: last.task.after([.seconds(3), .zero][choose(2)])
    case 3: last.task.order(choose(2))
    default: last.task.coalesced(by: "k")
    }
  }

  private func cancel() {
    noteCause()
    switch choose(3) {
    case 0:
      note("cancels all")
      queue.cancelAll()
    case 1:
      note("cancels the task with the key")
      queue.cancelTask(coalescedBy: "k")
    default:
      note("cancels the latest task")
      last?.task.cancel()
    }
  }

  // MARK: What must not happen

  func noteTurn() throws {
    turns += 1
    idleTurns += 1
    if idleTurns > Self.maxIdleTurns { throw End.hole("turns round and round") }
  }

  /// Lets the engine handle an activity, and so run a batch of tasks.
  func inBatch(_ body: () -> Void) throws {
    let outerBatch = batch
    batch = []
    body()
    batch = outerBatch
    if let failure { throw failure }
  }

  private func runs(_ scheduled: Scheduled) {
    guard failure == nil else { return }
    note("task \(scheduled.number) runs")
    noteCause()
    do {
      let plain = (batch + [scheduled]).filter(\.isPlain)
      if let last = plain.dropLast().last, scheduled.isPlain, last.rank > scheduled.rank {
        throw End.hole("runs a task before an earlier one")
      }
      let modes = scheduled.plan.modes + scheduled.formerModes
      if let mode = loop.running.last, !loop.mode(mode).serves(modes) {
        throw End.hole("runs a task in a mode that is not its own")
      }
      batch.append(scheduled)
      try callOut(.task)
    } catch {
      failure = error as? End
    }
  }

  func checkEmpty(_ mode: SimulatedMode) throws {
    note("\(mode.name.rawValue) is empty")
    if scheduled.contains(where: { mode.serves($0.plan.modes) && $0.task.state == .pending }) {
      throw End.hole("a run of a mode with a task ends at once")
    }
  }

  func checkSleep(in mode: SimulatedMode, until end: Double) throws {
    let pending = scheduled.filter { mode.serves($0.plan.modes) && $0.task.state == .pending }
    // A timer that ends the sleep is a microsecond later than what it was set for.
    let ready = pending.filter { readyDate($0) + 1e-4 < min(end, loop.now + 50) }
    if !ready.isEmpty, !mayBackOff(ready, end), !mode.isUnnoticedCommon { throw End.hole("sleeps on a task") }
    if loop.isEmpty(mode) { throw End.hole("sleeps in an empty mode") }
    if pending.isEmpty, !mode.hasUserTimer, end > loop.now + 0.2 { throw End.hole("sleeps though nothing is left") }
    idleTurns = 0
    if end < .infinity { causes += 1 }
  }

  /// Whether the loop may sleep for a short time, because others have kept it busy in vain.
  private func mayBackOff(_ ready: [Scheduled], _ end: Double) -> Bool {
    end <= loop.now + 0.1 && ready.allSatisfy { $0.task.timing == .idle }
  }

  private func readyDate(_ scheduled: Scheduled) -> Double {
    guard scheduled.task.whereabouts == .waiting, let options = scheduled.task.options else { return loop.now }
    return Double(min(options.waitEnd, options.leastLimitEnd) - loop.base) / 1e9
  }
}
