import Foundation

@testable import RunLoopTasks

/// The documented behavior of tasks, as a reader of traces. The articles "When a task runs" and "Time" describe it.
///
/// It does not know how the loop gets from one activity to the next; that it is told. It knows what is due there.
struct Model {
  enum Standing {
    /// Another thread's call has not been noticed yet.
    case unread
    /// A delay or an interval has yet to end.
    case waiting
    case inLine
  }

  struct Item {
    let number: TaskNumber
    var wish: Wish
    var state = RunLoopTask.State.pending
    var standing = Standing.unread
    /// Its place in line, zero until its delay has ended.
    var place = 0
    /// When it came into line or became overdue. A batch that is under way then may have the task or not.
    var changed = 0
    var modesSince = 0
    var delayEnd = ClockTime.past
    var intervalEnd = ClockTime.past
    var limitEnd: ClockTime?
    /// The limit of the tasks that it has replaced.
    var inheritedLimitEnd: ClockTime?
    /// Whether its limit has passed.
    var isOverdue = false
    /// When time next changes it, and when that was set.
    var alarm: (end: ClockTime, since: Int)?
  }

  /// A run under way.
  struct Run {
    let mode: RunLoop.Mode
    /// Whether a task has run in this pass.
    var hasRunTask = false
    /// Whether a task has run in this pass, but not in its turn.
    var hasRunTaskNow = false
    var batch: Batch?
  }

  /// The tasks' turn at an activity, in `runTasks(of:)`, or in the drain of a thread.
  struct Batch {
    enum Place { case activity(RunLoop.Activity), runTasks, drain(round: Int) }

    let place: Place
    let began: Int
    let timings: Timings
    /// Whether it is in a pass that the package makes.
    let isDriven: Bool
    /// When runs were last left before it began: a run nested in one of its tasks makes nothing due in it.
    let lastExit: [RunLoop.Mode: Int]
    var budgets: [Allowance]
    var count = 0
    /// Whether the tasks that wait have had their turn, if it is a round of a drain that runs those, too.
    var hasFlushed = false

    /// The jobs that were there when jobs had their turn in a round of a drain, and have not begun; `nil` before that.
    var jobsLeft: [Int]?
    var drainRound: Int? { if case .drain(let round) = place { round } else { nil } }
    var hasSlice: Bool { !isDriven && drainRound == nil }
    var isAtEntry: Bool { if case .activity(.entry) = place { true } else { false } }
    var mayEnd: Bool { count > 0 && drainRound == nil && budgets.contains(.oneTask) }
    var mustEnd: Bool { mayEnd && budgets.allSatisfy { $0 == .oneTask } }
  }

  /// The timings that are due, and whether their tasks must run (or only may).
  typealias Timings = (timings: [RunLoopTask.Timing], areCertain: Bool)

  /// A call that runs the loop.
  struct Call {
    let kind: RunKind
    let mode: RunLoop.Mode
    /// When the time of `advance(by:)` begins and when it has passed.
    var start = ClockTime.past
    var end = ClockTime.past
    /// Whether `advance(by:)` has made its first pass.
    var hasBegun = false
    /// Whether that time has passed, so that only the last pass is left.
    var hasReachedEnd = false
    var activities: [RunLoop.Activity] = []
    var isStopped = false
    var hasRunTask = false
  }

  /// What another thread has asked for.
  struct Message {
    let event: Event
    let clock: ClockTime
    /// The key of which only the latest message is kept.
    var key: Int?
    /// Whether it first cancels the task with its key.
    var cancelsFirst = false
  }

  /// Whether the thread is stopped, so that a drain follows the pass under way.
  var isStopped = false
  /// The last round of the drain, in which only tasks run: jobs of an earlier one put it off.
  var lastRound = 3
  /// Whether the drain runs what waits, too.
  var runsDelayedTasks = false
  /// Moments are numbered.
  var now = 0
  var tasks: [TaskNumber: Item] = [:]
  /// What other threads have asked for. The loop's own thread must notice it before tasks get their turn and when it
  /// schedules or changes something itself, but may do so at any time before: then the trace says so.
  var unread: [Message] = []
  /// Tasks were cancelled since it last noticed anything, and may still stand in line there.
  var hasCancelledTasks = false
  var runs: [Run] = []
  var calls: [Call] = []
  /// The calls of `runNow()` under way, and whether the task was pending.
  var callsOfRunNow: [(task: TaskNumber, isPending: Bool)] = []
  /// The calls of `runAllTasks()` under way, and the turn of what waits in a drain.
  var flushes: [Flush] = []
  var budget = Allowance.unlimited
  var commonSince: [RunLoop.Mode: Int] = [.default: 0]
  /// When a run of the mode was last left.
  var lastExit: [RunLoop.Mode: Int] = [:]
  /// A batch has left tasks, perhaps because it was cut short. Then no idle task need run until the loop has served
  /// everything else.
  var isWaiting = false
  /// By how much the task clock was advanced, and what it shows while it is being advanced.
  var halfHours = 0
  var frozenClock: ClockTime?
  /// When the last task with a key and an interval began, until that interval has ended.
  var beginnings: [Int: (time: ClockTime, interval: HalfHours)] = [:]
  /// The jobs that wait, and the one that runs.
  var waitingJobs: [Int] = []
  var runningJob: Int?

  func pending(in mode: RunLoop.Mode) -> [Item] {
    tasks.values.filter { task in
      let isCommon = task.wish.modes.contains(.common) && commonSince[mode] != nil
      return task.state == .pending && (isCommon || task.wish.modes.contains(mode))
    }
  }

  /// Whether a run in the mode performs jobs. No job runs inside another one.
  func servesJobs(in mode: RunLoop.Mode) -> Bool { commonSince[mode] != nil && runningJob == nil }

  func hasReadyJobs(in mode: RunLoop.Mode) -> Bool { servesJobs(in: mode) && !waitingJobs.isEmpty }

  /// The pending tasks that do not wait for their time.
  func inLine(in mode: RunLoop.Mode) -> [Item] { pending(in: mode).filter { $0.standing == .inLine } }
}

extension Model.Batch.Place: CustomStringConvertible {
  var description: String {
    switch self {
    case .activity(let activity): activity.description
    case .runTasks: "runTasks"
    case .drain(let round): "round \(round) of the drain"
    }
  }
}
