import Foundation
import Synchronization

/// A piece of work that a run loop runs once, at a chosen moment of its turn.
///
/// `perform` makes a task with the default timing and mode; chain what should be different:
///
/// ```swift
/// RunLoop.current.perform { collectionView.reloadData() }
///   .when(.currentLoopEnded)
///   .forModes(.common)
/// ```
///
/// A task runs exactly once or is cancelled. Its closure is released as soon as it has run, whoever holds the task, so it
/// needs no `[weak self]` to avoid a retain cycle. Until then a pending task keeps alive what it captures.
///
/// All members may be used from any thread. ``cancel()`` decides at once. ``when(_:)``, `forModes` and ``coalesced(by:)`` from
/// another thread than the loop's own take effect before the loop looks for tasks the next time; that may be too late.
public final class RunLoopTask: @unchecked Sendable, CustomStringConvertible {
  // Unchecked, because of the variables: they belong to the loop's own thread, and only `Scheduler` touches them there.
  // The rest is constant or atomic.

  /// Where a task is in its life.
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

  let scheduler: Scheduler
  let fileID: StaticString
  let line: UInt
  /// See `Generations`.
  private let generation: UInt32
  private let phase: Atomic<UInt8>

  var closure: (() -> Void)?
  /// The place in line. A task that replaces another takes over its place.
  var order: UInt64 = 0
  /// When it was scheduled, on the same scale as `order`.
  var birth: UInt64 = 0
  /// When it was scheduled or last replaced another task. It may run in batches that begin later.
  var ready: UInt64 = 0
  var key: AnyHashable?
  /// The lane that the task waits in, `nil` before and after.
  unowned var lane: Lane?
  var next: RunLoopTask?
  unowned var previous: RunLoopTask?

  init(_ scheduler: Scheduler, state: State, fileID: StaticString, line: UInt, closure: @escaping () -> Void) {
    self.scheduler = scheduler
    self.fileID = fileID
    self.line = line
    self.generation = scheduler.generations.latest
    self.phase = Atomic(state.code)
    self.closure = state == .pending ? closure : nil
  }

  /// Where the task is in its life. May be read on any thread.
  public var state: State {
    cancelIfOutdated()
    return State(code: phase.load(ordering: .acquiring))
  }

  /// Cancels the task if its closure has not begun.
  ///
  /// The closure then never starts. What it captured is released at once, or, if another thread than the loop's own
  /// cancels, by the loop's own thread.
  ///
  /// ```swift
  /// let reload = RunLoop.current.perform { collectionView.reloadData() }.when(.currentLoopEnded)
  /// if reload.cancel() { print("nothing will be reloaded") }
  /// ```
  ///
  /// - Returns: `true` if the task was pending and is now cancelled; `false` if it has begun, or was cancelled before.
  /// - Complexity: O(1). A cancelled task leaves nothing behind.
  @discardableResult
  public func cancel() -> Bool {
    let isOnLoopThread = scheduler.isCurrent
    guard leavePending(for: .cancelled, onLoopThread: isOnLoopThread) else { return false }
    scheduler.discard(self, onLoopThread: isOnLoopThread)
    return true
  }

  // MARK: Changing state

  /// Counts the task among the pending ones.
  func enterPending(onLoopThread: Bool) {
    scheduler.generations.count(1, of: generation, onLoopThread: onLoopThread)
  }

  /// The one step that decides between running and cancelling: whoever succeeds has the task.
  func leavePending(for new: State, onLoopThread: Bool) -> Bool {
    guard !cancelIfOutdated(), advance(to: new) else { return false }
    scheduler.generations.count(-1, of: generation, onLoopThread: onLoopThread)
    return true
  }

  func finish() { phase.store(State.finished.code, ordering: .releasing) }

  /// Takes note that all tasks of its time were cancelled, if it has not begun.
  ///
  /// - Returns: whether they were.
  @discardableResult
  func cancelIfOutdated() -> Bool {
    guard generation != scheduler.generations.latest else { return false }
    _ = advance(to: .cancelled)
    return true
  }

  private func advance(to new: State) -> Bool {
    phase.compareExchange(expected: State.pending.code, desired: new.code, ordering: .acquiringAndReleasing).exchanged
  }
}

extension RunLoopTask.State {
  /// The state as an atomic variable stores it.
  fileprivate var code: UInt8 {
    switch self {
    case .pending: 0
    case .running: 1
    case .finished: 2
    case .cancelled: 3
    }
  }

  fileprivate init(code: UInt8) {
    switch code {
    case 0: self = .pending
    case 1: self = .running
    case 2: self = .finished
    default: self = .cancelled
    }
  }
}
