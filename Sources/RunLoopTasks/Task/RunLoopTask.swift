import Foundation
import Synchronization

/// A piece of work that a run loop runs once, at a chosen moment of its pass.
///
/// `perform` makes a task with the default timing and mode. Chain the options that you want to change:
///
/// ```swift
/// RunLoop.current.perform { collectionView.reloadData() }
///   .when(.currentLoopEnded)
///   .forModes(.common)
/// ```
///
/// A task runs exactly once or is cancelled. Its closure is released as soon as it has run, even if you hold the task,
/// so it needs no `[weak self]` to avoid a retain cycle. Until then a pending task keeps alive what it captures.
///
/// You can use ``cancel()``, ``state`` and ``description`` on any thread, and all other members on the loop's own
/// thread only.
public final class RunLoopTask: @unchecked Sendable, CustomStringConvertible {
  // Unchecked, because the variables belong to the thread that makes the task until it is sent, and then to the loop's
  // own thread. While a task is in the mailbox, the lock of the inbox guards them. A task that is superseded there
  // belongs to the thread that has sent the new one if `Mailbox.add` returns it. The rest is constant or atomic.

  let scheduler: Scheduler
  var closure: (() -> Void)?
  /// The place in line, as a number that is unique in the loop, or zero before the end of the delay.
  var position: UInt64 = 0
  /// The neighbors in a `TaskList`, if the task is linked there.
  var links = TaskLinks()
  /// The key and the properties that few tasks have.
  var extras = TaskExtras.none
  /// The file's name. It points into a literal, which exists as long as the program.
  let fileStart: UnsafePointer<UInt8>
  let line: UInt32
  /// The code of the state.
  private let stateCode: Atomic<UInt8>
  var mode = ModeID.default
  var timing: Timing
  var whereabouts = Whereabouts.outside
  /// Async code waits for it.
  var isAwaited = false
  /// Another thread than the loop's own has scheduled it.
  var isPosted = false
  /// The closure may be released on any thread.
  let hasSendableClosure: Bool

  /// Where a task is, as seen from `PendingTasks`.
  enum Whereabouts: Equatable {
    /// Not taken in yet, or taken out.
    case outside
    /// Taken in as the newest task, which is not where it belongs yet.
    case newest
    /// Not in line before its delay or its interval has ended.
    case waiting
    /// In this list of each of its modes.
    case inLine(ListID)
  }

  /// Creates a task that `beginPending` must follow, or a cancelled task if there is no closure.
  ///
  /// - Parameter isSendable: whether the closure may be released on any thread.
  init(
    _ scheduler: Scheduler, _ timing: Timing = .nextLoopBegan, isSendable: Bool = false, fileID: StaticString,
    line: UInt, closure: (() -> Void)?
  ) {
    (self.scheduler, self.timing, self.closure, hasSendableClosure) = (scheduler, timing, closure, isSendable)
    fileStart = (fileID.hasPointerRepresentation ? fileID : "?").utf8Start
    stateCode = Atomic((closure == nil ? State.cancelled : .pending).code)
    self.line = UInt32(clamping: line)
  }

  /// The file and the line that scheduled the task.
  var origin: String { "\(String(cString: fileStart)):\(line)" }

  // MARK: Place in line

  var order: Int { options?.order ?? 0 }

  var rank: Rank { (order, position) }

  /// The one that is before the other in line.
  static func first(_ one: RunLoopTask?, _ other: RunLoopTask?) -> RunLoopTask? {
    guard let one, let other else { return one ?? other }
    return one.rank < other.rank ? one : other
  }

  var isNewest: Bool { if case .newest = whereabouts { true } else { false } }

  /// Its position alone is its place in line, and one pair of links is enough for its one mode.
  var isInOrder: Bool { hasNoOptions || order == 0 && mode != .several }

  var modeIDs: [ModeID] { mode == .several ? options!.modes : [mode] }

  func forEachMode(_ body: (ModeID) -> Void) {
    if mode != .several { body(mode) } else { options!.modes.forEach(body) }
  }

  /// - Parameter modes: the modes, at least one and none twice. The task must not be in line.
  func setModeIDs(_ modes: [ModeID]) {
    mode = modes.count == 1 ? modes[0] : .several
    if modes.count > 1 { makeOptions().modes = modes } else { options?.modes = [] }
  }

  // MARK: State

  /// The stage of the task's life. You can read it on any thread.
  public var state: State { State(code: stateCode.load(ordering: .acquiring)) }

  /// Whether `state` is `pending`; quicker.
  var isStillPending: Bool { stateCode.load(ordering: .acquiring) == State.pending.code }

  /// Whether its options still have an effect. On the loop's own thread.
  var isChangeable: Bool { whereabouts != .outside && isStillPending }

  /// Cancels the task if its closure has not begun.
  ///
  /// The closure then never starts. On the loop's own thread, the call releases the closure. If another thread cancels,
  /// the loop's own thread releases the closure later.
  ///
  /// ```swift
  /// let reload = RunLoop.current.perform { collectionView.reloadData() }
  ///   .when(.currentLoopEnded)
  ///   .forModes(.common)
  /// if reload.cancel() { print("nothing will be reloaded") }
  /// ```
  ///
  /// - Returns: `true` if the task was pending and is now cancelled; `false` if it has begun, or was cancelled before.
  /// - Complexity: O(1); O(log *n*) for a task that has a delay or a limit, and up to O(*n*) for one that has an order
  ///   or several modes, or whose options were changed when newer tasks were in line.
  @discardableResult
  public func cancel() -> Bool {
    let isOwn = scheduler.isCurrent
    if isOwn { scheduler.catchUp() }
    guard leavePending(for: .cancelled) else { return false }
    if isOwn { scheduler.withdraw(self) } else { _ = scheduler.send(.withdraw(self)) }
    return true
  }

  /// Runs the task now, ahead of its turn, if it is pending.
  ///
  /// Use it for work that must be done before a window closes or the program quits:
  ///
  /// ```swift
  /// let saving = RunLoop.current.perform { save() }
  ///   .when(.idle)
  ///   .after(.seconds(2))
  /// func windowWillClose() { saving.runNow() }  // saves now, or has saved
  /// ```
  ///
  /// Another request may have replaced a task with a key. There use `RunLoop.runTask(coalescedBy:)`.
  ///
  /// The task runs whatever its timing, modes, delay and limit, even if the loop doesn't run. As in its turn, the key
  /// is free when the closure begins, and the interval of a throttle begins.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. From there use
  ///   `queue.perform { task.runNow() }`.
  /// - Parameters:
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: `true` if the task was pending and has run; `false` if it has begun before, or was cancelled or
  ///   replaced.
  /// - Complexity: As ``cancel()``.
  @discardableResult
  public func runNow(fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
    guard scheduler.isCurrent else {
      if scheduler.inbox.loop == nil { return false }  // the end has cancelled the task
      Call("RunLoopTask.runNow()", fileID, line)
        .stopElsewhere("as in queue.perform { task.runNow() }, \(Call.whereQueueIs)")
    }
    scheduler.catchUp()
    return scheduler.runNow(self)
  }

  /// Counts the new task among the pending ones. If another thread sends it, it does so with the lock of the
  /// inbox, so that the loop's own thread finds all tasks that are counted:
  ///
  ///     sender         lock ─ flag ─ counted ─ message ─ unlock
  ///     own thread                      └ counts it: sees the flag ─ lock ─ reads the message
  @inline(__always)
  func beginPending() {
    scheduler.pendingCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
  }

  /// Begins or cancels a pending task. Only one caller succeeds.
  @inline(__always)
  func leavePending(for new: State) -> Bool {
    let change = stateCode.compareExchange(
      expected: State.pending.code, desired: new.code, ordering: .sequentiallyConsistent)
    if change.exchanged {
      scheduler.pendingCount.wrappingSubtract(1, ordering: .acquiringAndReleasing)
      scheduler.unrunLoop.noteGone(self)
    }
    return change.exchanged
  }

  @inline(__always)
  func callClosure() { withAutoreleasePool { closure.take()?() } }

  /// Notes that the closure has returned. Only the caller that has begun the task calls this.
  func finish() { stateCode.store(State.finished.code, ordering: .releasing) }

  /// Releases what the task no longer needs. The release may run any code.
  func releaseContents() {
    if scheduler.isHeard { tellOver() }
    _ = closure.take()
    if !extras.isNone { _ = exchange(&extras, with: .none) }
  }
}

extension RunLoopTask {
  /// The stages of a task's life.
  public enum State: Sendable {
    /// The task waits for its moment.
    case pending
    /// The closure is being called.
    case running
    /// The closure has returned.
    case finished
    /// The task was cancelled before it began, and never runs.
    case cancelled
  }
}

extension RunLoopTask.State {
  fileprivate var code: UInt8 {
    switch self {
    case .pending: 0
    case .running: 1
    case .finished: 2
    case .cancelled: 3
    }
  }

  fileprivate init(code: UInt8) { self = [.pending, .running, .finished, .cancelled][Int(code)] }
}

extension RunLoopTask {
  /// The moment of a pass at which a task runs.
  ///
  /// A *pass* begins when the loop wakes or enters a run, and ends when the loop goes to sleep or leaves the run. Every
  /// timing has a fallback, because a loop may never reach the preferred moment.
  /// <doc:WhenATaskRuns> has a picture and the exact rules.
  ///
  /// | Timing | A task runs when | Fallback |
  /// |---|---|---|
  /// | ``nextLoopBegan`` | the loop wakes | the loop enters a run, if the one before has ended without a sleep since the task was scheduled |
  /// | ``currentLoopEnded`` | the loop is about to sleep | the loop leaves a run |
  /// | ``idle`` | the loop leaves a run | the loop is about to sleep after a pass without other tasks |
  public enum Timing: Sendable, CaseIterable {
    /// At the beginning of the next pass: when the loop wakes (`afterWaiting`). It doesn't wait for an event: the next pass
    /// begins at once.
    ///
    /// A loop that is only polled never sleeps. If a run ends without having slept since the task was scheduled, the
    /// task runs at the `entry` of the next run in the same mode.
    case nextLoopBegan

    /// At the end of the current pass: just before the loop sleeps (`beforeWaiting`) or leaves its run (`exit`).
    ///
    /// On the main loop this is before Core Animation's observer. <doc:InTheSameFrame> says which frame shows the
    /// task's changes.
    case currentLoopEnded

    /// Before the loop sleeps (`beforeWaiting`), if no other task ran in this pass, or when the loop leaves a run
    /// (`exit`).
    ///
    /// Before a sleep, they run only if no task of another timing is in line in the mode. UIKit rarely leaves the main
    /// loop's run, so idle tasks run there before it sleeps. AppKit leaves it for each event, so idle tasks also run
    /// there before the app handles an event.
    ///
    /// Idle tasks run in slices: once those of one moment have taken 4 milliseconds, or the
    /// ``RunLoopTaskQueue/budget`` if there is one, the rest stay first in line. Before the next slice the loop serves
    /// the timers, sources and blocks that are ready, also in a nested run. A backlog of idle tasks makes them late by
    /// 4 milliseconds and one task. The passes of `RunLoop.runPass` and `advance` have no slices, and tasks
    /// whose limit has expired are in none.
    case idle
  }
}
