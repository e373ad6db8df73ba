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
    var wasCancelledAlone = false
    var standing = Standing.unread
    /// When it was asked for, and when that was noticed.
    var asked = 0
    var born = 0
    /// Its place in line, which it gets when its delay has ended.
    var place = 0
    var hasPlace = false
    /// Since when a batch may have it, and since when it must.
    var mayRunSince = 0
    var mustRunSince = 0
    var modesSince = 0
    var delayEnd = ClockTime.past
    var intervalEnd = ClockTime.past
    var limitEnd: ClockTime?
    /// The limit of the tasks that it has replaced.
    var inheritedLimitEnd: ClockTime?
    /// When its limit was set.
    var limitSince = 0
    /// When the end of its waiting was set.
    var waitingSince = 0
    /// When its limit passed.
    var overdueSince: Int?
  }

  /// A run under way.
  struct Run {
    let mode: RunLoop.Mode
    /// When the last pass of a thread began: later tasks do not run in it.
    var lineEnd: Int?
    /// Whether a task has run in this pass, and whether an idle one has.
    var hasRunTask = false
    var hasRunIdleTask = false
    /// Whether a task has run in this pass, but not in its turn.
    var hasRunTaskNow = false
    /// Whether tasks were pending in its mode when the activity began. If not, the package need not observe that
    /// activity: what is scheduled at it may run at once or wait.
    var isObserved = false
    /// How many passes in a row had idle tasks at their end that could not run because of others.
    var passesWithoutIdleTasks = 0
    var batch: Batch?
  }

  /// The tasks' turn at an activity, or in `runTasks(of:)`.
  struct Batch {
    let activity: RunLoop.Activity?
    let began: Int
    let timings: Timings
    let isObserved: Bool
    /// When runs were last left before it began: a run nested in one of its tasks makes nothing due in it.
    let lastExit: [RunLoop.Mode: Int]
    let lastObservedExit: Int
    var budgets: [Allowance]
    var count = 0
    var hasRunIdleTask = false

    var place: String { activity?.description ?? "runTasks" }
    var mayEnd: Bool { count > 0 && budgets.contains(.oneTask) }
    var mustEnd: Bool { count > 0 && budgets.allSatisfy { $0 == .oneTask } }
  }

  /// The timings that are due, and whether their tasks must run (or only may).
  typealias Timings = (timings: [RunLoopTask.Timing], areCertain: Bool)

  /// A call that runs the loop.
  struct Call {
    let kind: RunKind
    let mode: RunLoop.Mode
    /// When the time of `advance(by:)` has passed.
    var end = ClockTime.past
    /// Whether that time has passed, so that only the last pass is left.
    var hasReachedEnd = false
    var activities: [RunLoop.Activity] = []
    var isStopped = false
    var hasRunTask = false
  }

  /// What another thread has asked for.
  struct Message {
    var event: Event
    var asked: Int
    let clock: ClockTime
    /// Whether it first cancels the task with its key, because one that it has replaced unread had done so.
    var cancelsFirst = false
  }

  /// The last pass of a thread that is stopped.
  enum LastPass { case none, due, over }

  var lastPass = LastPass.none
  /// Moments are numbered.
  var now = 0
  var tasks: [TaskNumber: Item] = [:]
  /// What other threads have asked for. The loop's own thread must notice it before tasks get their turn and when it
  /// schedules or amends something itself, but may do so at any time before: then the trace says so.
  var unread: [Message] = []
  var runs: [Run] = []
  var calls: [Call] = []
  /// The calls of `runNow()` under way, and whether the task was pending.
  var callsOfRunNow: [(task: TaskNumber, isPending: Bool)] = []
  var budget = Allowance.unlimited
  var commonSince: [RunLoop.Mode: Int] = [.default: 0]
  /// When a run of the mode was last left; and when the package had to observe that.
  var lastExit: [RunLoop.Mode: Int] = [:]
  var lastObservedExit: [RunLoop.Mode: Int] = [:]
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
