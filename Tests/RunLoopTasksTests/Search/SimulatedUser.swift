import Foundation

@testable import RunLoopTasks
@testable import RunLoopVirtualTime

/// Decides what happens where a simulated loop calls out, and looks for what must not happen.
final class SimulatedUser: @unchecked Sendable {
  // Unchecked, because only one thread of a simulation runs at a time.

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
  }

  /// A task that was scheduled, and what is known of it.
  final class Scheduled: @unchecked Sendable {
    let number: Int
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var task: RunLoopTask!
    var plan: TaskPlan
    /// Whether its place in line is that of its number.
    var isPlain: Bool
    /// Whether another thread is about to schedule it, so that it may be pending or not.
    var isInFlight = false
    /// Whether `cancel()` was in time.
    var isCancelled = false
    var rank: (Int, Int) { (plan.order, number) }

    init(_ number: Int, _ plan: TaskPlan) {
      (self.number, self.plan) = (number, plan)
      isPlain = plan.delay == .zero && plan.limit == nil && plan.key == nil
    }
  }

  /// Without a budget the slices of idle tasks would end by the clock, and a run could not be repeated.
  static let ampleBudget = Duration.seconds(3_600)

  static let (maxCallouts, maxTurns, maxDepth) = (400, 12, 4)
  /// How many turns in a row may begin for nothing. An observer that schedules a task in each pass delays others so.
  static let maxIdleTurns = 6

  let loop: SimulatedLoop
  private var choices: Choices
  private(set) var trace: [String]?
  private var callouts = 0
  var scheduled: [Scheduled] = []
  /// How many turns in a row something has happened in, without the turn under way, and whether it has in that.
  var (busyTurns, hasCause) = (0, false)
  /// How many turns have begun since something has happened.
  var idleTurns = 0
  /// How many turns have begun, and how many things have happened that may cause some.
  var (turns, causes) = (0, 0)
  /// What a task has found, which cannot throw.
  var failure: End?
  private(set) var isPosting = false
  /// The tasks of the batch under way.
  var batch: [Scheduled] = []
  /// The task that `runNow()` is to run.
  var runsNow: Scheduled?
  /// Where the tasks of the batch under way run: at an activity, or where the user has called for them.
  var place = Point.task

  init(_ loop: SimulatedLoop, _ choices: Choices, isTraced: Bool) {
    (self.loop, self.choices) = (loop, choices)
    trace = isTraced ? [] : nil
    queue.budget = Self.ampleBudget
  }

  var made: [(choice: Int, count: Int)] { choices.made }
  func choose(_ count: Int, _ frequency: Choices.Frequency = .asUsual) -> Int { choices.next(count, frequency) }

  func note(_ text: @autoclosure () -> String) {
    guard trace != nil else { return }
    let line = String(repeating: "  ", count: loop.running.count) + (isOnSender ? "· " : "") + text()
    trace?.append(line)
  }

  var isOnSender: Bool { loop.threads.running == .sender }

  func noteCause() { (idleTurns, causes, hasCause) = (0, causes + 1, true) }

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
    loop.threads.point("[\(point)]")
    while try act(at: point) {}
  }

  /// - Returns: whether something has happened, after which more may.
  private func act(at point: Point) throws -> Bool {
    callouts += 1
    guard callouts <= Self.maxCallouts else { throw End.tooLong }
    let choice = choose(16, loop.threads.isSending ? .often : .asUsual)
    if choice != 0 { note("[\(point)]") }
    switch choice {
    case 1: perform()
    case 2: post { self.perform() }
    case 3: change()
    case 4: cancel()
    case 5: post { self.cancel() }
    case 6:
      deed("stops the run") { loop.stop() }
    case 7:
      guard loop.configuration.usesCommonModes else { break }
      deed("makes B a common mode") { loop.makeCommon(SimulatedLoop.modes[1]) }
      batch = []  // tasks are due now that were not due before
    case 8:
      let budget = [Self.ampleBudget, .nanoseconds(1)][choose(2)]
      deed("sets the budget") { queue.budget = budget }
    case 9: deed("lets time pass") { loop.letPass([2, 5, 20][choose(3)]) }
    case 10: try nest(at: point) { try loop.run($0) }
    case 11: try nest(at: point) { try loop.run($0, .poll) }
    case 12:
      try nest(at: point) {
        loop.scheduler.runPass(in: $0)
        if let failure { throw failure }
      }
    case 13:
      let duration = Duration.seconds([4, 11][choose(2)])
      try nest(at: point) {
        note("advances by \(duration)")
        _ = SteppedLoop(loop.scheduler, in: $0).advance(by: duration, Call("", #fileID, #line))
        if let failure { throw failure }
      }
    case 14: try runNow(at: point)
    case 15:
      let timing = RunLoopTask.Timing.allCases[choose(3)]
      try deed("runs the tasks of \(timing)") {
        try inBatch(at: point) { _ = loop.scheduler.runTasks(of: timing) }
      }
    default: break
    }
    return choice != 0
  }

  func deed(_ text: String, _ body: () throws -> Void) rethrows {
    note(text)
    noteCause()
    try body()
  }

  /// Runs the loop in a mode. See `WakingSearchTests` for what is excluded.
  private func nest(at point: Point, _ run: (RunLoop.Mode) throws -> Void) throws {
    let mode = SimulatedLoop.modes[choose(2)]
    guard loop.running.count < Self.maxDepth else { return }
    if case .entryFirst = point { return }
    noteCause()
    try run(mode)
    batch = []  // tasks are due now that were not due before
  }

  var queue: RunLoopTaskQueue { RunLoopTaskQueue(scheduler: loop.scheduler) }

  /// Another thread does something, as a whole or up to the point where it is interrupted.
  private func post(_ body: @escaping () -> Void) {
    let threads = loop.threads
    if threads.isSending {
      // A third thread, which does everything as a whole.
      guard !threads.isLockedByLoop else { return }
      threads.waitForLock()
    } else if TwoThreads.areThreadsVisible {
      let number = choose(12, .often)
      if number > 0 || threads.isLockedByLoop {
        note("on another thread, up to point \(number):")
        return threads.send(upToPoint: number, body)
      }
    }
    note("on another thread:")
    ThreadLocalScheduler.simulate(nil, during: body)
  }

  /// Another thread does something while the engine calls the host, or takes its lock or gives it back.
  func postDuringCall(_ name: @autoclosure () -> String) {
    guard !isPosting, choose(2, .seldom) == 1 else { return }
    note("\(name()):")
    isPosting = true
    defer { isPosting = false }
    if choose(2) == 0 { post { self.perform() } } else { post { self.cancel() } }
  }

  func postDuringSleep(for mode: RunLoop.Mode) {
    note("while it sleeps:")
    post { self.schedule(self.plan([mode])) }
  }

  /// Whether a sleep may end while what the sender does is still under way.
  func sendsDuringSleep() -> Bool { choose(2, .often) == 1 }
}
