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
  // The rest is constant or atomic. There may be very many tasks, so they are kept to 88 bytes, which malloc fits well.

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
  @exclusivity(unchecked) var closure: (() -> Void)?
  /// The place in line. A task that replaces another takes over its place.
  @exclusivity(unchecked) var order: UInt64 = 0
  // The next three are unsafe for speed. A lane holds all tasks that name it: it unlinks a task before it lets go of it, and is
  // itself kept by its mode set while it has tasks.
  @exclusivity(unchecked) var previous: Unmanaged<RunLoopTask>?
  @exclusivity(unchecked) var next: Unmanaged<RunLoopTask>?
  /// The lane that the task waits in, `nil` before and after.
  var lane: Lane? {
    get { laneReference?.takeUnretainedValue() }
    set { laneReference = newValue.map(Unmanaged.passUnretained) }
  }
  @exclusivity(unchecked) private var laneReference: Unmanaged<Lane>?
  /// The characters of a literal, which live for ever.
  private let fileStart: UnsafePointer<UInt8>
  /// The generation in which the task was scheduled, see `Generations`, and in the lowest bits the state.
  private let word: Atomic<UInt32>
  // Three bytes, so that one is left for what follows. No file is longer.
  private let line: (low: UInt16, high: UInt8)
  /// Whether the scheduler has a `Mark` of the task.
  @exclusivity(unchecked) var isMarked = false

  /// A pending task, or without a closure a cancelled one.
  init(_ scheduler: Scheduler, fileID: StaticString, line: UInt, closure: (() -> Void)?) {
    let state = closure == nil ? State.cancelled : .pending
    self.scheduler = scheduler
    self.closure = closure
    fileStart = (fileID.hasPointerRepresentation ? fileID : "?").utf8Start
    word = Atomic(scheduler.generations.latest | state.code)
    self.line = (UInt16(truncatingIfNeeded: line), UInt8(truncatingIfNeeded: line >> 16))
  }

  /// Where the task was scheduled.
  var place: String { "\(String(cString: fileStart)):\(Int(line.high) << 16 | Int(line.low))" }

  /// The timing for which the task is in line; no reference is counted to tell it.
  var timing: Timing? { laneReference?.borrow { $0.timing } }

  /// The task before it in line.
  var older: RunLoopTask? { previous?.takeUnretainedValue() }

  /// The task behind it.
  var newer: RunLoopTask? { next?.takeUnretainedValue() }

  // MARK: State

  /// Where the task is in its life. May be read on any thread.
  public var state: State {
    cancelIfOutdated()
    return State(code: word.load(ordering: .acquiring) & State.codes)
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

  private var generation: UInt32 { word.load(ordering: .relaxed) & ~State.codes }

  /// Counts the task among the pending ones.
  func enterPending(onLoopThread: Bool) {
    scheduler.generations.count(1, of: generation, onLoopThread: onLoopThread)
  }

  /// The one step that decides between running and cancelling: whoever succeeds has the task.
  func leavePending(for new: State, onLoopThread: Bool) -> Bool {
    cancelIfOutdated()
    guard advance(to: new) else { return false }
    scheduler.generations.count(-1, of: generation, onLoopThread: onLoopThread)
    return true
  }

  /// Only who has the task, and has run it.
  func finish() { word.store(generation | State.finished.code, ordering: .releasing) }

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
    let generation = generation
    return word.compareExchange(
      expected: generation | State.pending.code, desired: generation | new.code, ordering: .acquiringAndReleasing
    ).exchanged
  }
}

extension RunLoopTask.State {
  /// The bits that an atomic variable stores the state in.
  fileprivate static let codes: UInt32 = 3

  fileprivate var code: UInt32 {
    switch self {
    case .pending: 0
    case .running: 1
    case .finished: 2
    case .cancelled: 3
    }
  }

  fileprivate init(code: UInt32) {
    switch code {
    case 0: self = .pending
    case 1: self = .running
    case 2: self = .finished
    default: self = .cancelled
    }
  }
}
