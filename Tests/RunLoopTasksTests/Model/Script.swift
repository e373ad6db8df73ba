import Foundation

@testable import RunLoopTasks

/// What a driver does to one thread's loop, as data: a list of steps, some with a body of steps for later.
struct Script: Sendable {
  var steps: [Step]
  /// Whether the loop is run in all modes at last, until nothing is pending; otherwise its thread ends before that,
  /// that of a `RunLoopThread` after a drain.
  var isRunToTheEnd = true
  /// Whether the loop is that of a `RunLoopThread`, which performs jobs. No script with jobs advances time, because
  /// `advance(by:)` makes more passes for jobs.
  var hasJobs = false
  /// Whether the drain runs delayed tasks.
  var runsDelayedTasks = false
}

struct Step: Sendable {
  var action: Action
  /// What the task, observer, timer or source does that the step makes.
  var body: [Step] = []

  static func does(_ action: Action, _ body: Step...) -> Step { Step(action: action, body: body) }
}

/// Tasks go by their numbers.
typealias TaskNumber = Int

enum Action: Sendable {
  case perform(TaskNumber, Wish, Way)
  case change(TaskNumber, Change)
  case cancel(TaskNumber, Caller)
  case cancelAll(Caller)
  case cancelKey(Int, Caller)
  case runNow(TaskNumber)
  case runAllTasks
  case runTasks(RunLoopTask.Timing)
  case budget(Allowance, Caller)
  /// Adds an observer that is called once.
  case observe(RunLoop.Activity, RunLoop.Mode, order: Int)
  /// Adds a timer that is due at once.
  case timer(RunLoop.Mode)
  /// Adds a source and signals it; it goes when it is performed.
  case source(RunLoop.Mode)
  /// Runs the loop; if kept alive, the run is stopped once nothing is left to do.
  case run(RunKind, RunLoop.Mode, keptAlive: Bool)
  case makeCommon(RunLoop.Mode)
  /// Gives the thread a job.
  case job(Caller)
  case stop

  var hasBody: Bool {
    switch self {
    case .perform, .observe, .timer, .source, .job: true
    default: false
    }
  }
}

/// Durations so long that no script takes them: only `advance(by:)` lets them pass.
typealias HalfHours = Int

extension HalfHours {
  var duration: Duration { .seconds(1_800 * self) }
}

/// All that may be said about a task.
struct Wish: Sendable {
  var timing = RunLoopTask.Timing.nextLoopBegan
  var modes: [RunLoop.Mode] = [.default]
  var key: Int?
  /// These are zero for none.
  var interval: HalfHours = 0
  var delay: HalfHours = 0
  var limit: HalfHours = 0
  var order = 0
  /// Whether the key comes before all others in a chain. What follows then changes a task that has replaced another.
  var isKeyFirst = false

  mutating func apply(_ change: Change) {
    switch change {
    case .timing(let timing): self.timing = timing
    case .modes(let modes): self.modes = modes
    case .key(let key, let interval): (self.key, self.interval) = (key, interval)
    case .after(let delay): self.delay = delay
    case .within(let limit): self.limit = limit
    case .order(let order): self.order = order
    }
  }

  /// What is chained to a task that is made without all this.
  var changes: [Change] {
    let key = key.map { [Change.key($0, every: interval)] } ?? []
    let others: [Change] =
      [.timing(timing), .modes(modes)] + (delay > 0 ? [.after(delay)] : []) + (limit > 0 ? [.within(limit)] : [])
      + (order == 0 ? [] : [.order(order)])
    return isKeyFirst ? key + others : others + key
  }
}

enum Change: Sendable {
  case timing(RunLoopTask.Timing)
  case modes([RunLoop.Mode])
  case key(Int, every: HalfHours)
  case after(HalfHours)
  case within(HalfHours)
  case order(Int)
}

/// Who calls the package: the loop's own thread, or another one that it waits for.
enum Caller: Sendable { case own, other }

enum Way: Sendable {
  /// By `RunLoop.perform` and calls chained to it.
  case chain
  /// By the queue in one step.
  case queue(Caller)
}

/// Budgets with which it does not depend on the time what happens.
enum Allowance: Sendable, CaseIterable {
  case unlimited, huge, oneTask

  var duration: Duration? {
    switch self {
    case .unlimited: nil
    case .huge: .seconds(1_000_000)
    case .oneTask: .nanoseconds(1)
    }
  }
}

enum RunKind: Sendable, Equatable {
  case poll, pass, blocking, untilSource, untilTasksFinish
  /// Until nothing is left that could be done now.
  case until
  case advance(HalfHours)

  static let simple: [RunKind] = [.poll, .pass, .blocking, .untilSource, .untilTasksFinish, .until]

  /// Whether it may sleep, and whether it has no timeout.
  var maySleep: Bool { sleepsForEver || self == .untilTasksFinish }
  var sleepsForEver: Bool { [.blocking, .untilSource, .until].contains(self) }

  var isAdvance: Bool { if case .advance = self { true } else { false } }

  /// Whether it is made of single passes only. `untilTasksFinish` also waits.
  var isDriven: Bool { self == .pass || isAdvance }
}
