import Foundation
import RunLoopTasks

/// A task, which must run once or be cancelled for a reason, and release its closure.
final class SoakTask: Sendable, CustomStringConvertible {
  /// The tasks that have yet to come to their end.
  private static let pending = Locked<[SoakTask]>([])

  let loop: SoakLoop
  let plan: Plan
  private let birth = ContinuousClock.now
  private let sweepsBefore: Int
  private let handle = Locked<RunLoopTask?>(nil)
  private let runs = Counter()
  private let isReleased = Flag()
  /// Set before the task is cancelled, or may be replaced by another one with its key.
  private let mayBeCancelled = Flag()

  /// Schedules a task.
  @discardableResult
  init(_ plan: Plan, on loop: SoakLoop) {
    (self.loop, self.plan, sweepsBefore) = (loop, plan, loop.sweepsEnded)
    if plan.key != nil { mayBeCancelled.set() }
    let task = plan.schedule(on: loop, TaskBody(self))
    handle.withLock { $0 = task }
    Count.scheduled.add()
    Self.pending.withLock { $0.append(self) }
  }

  var description: String {
    "a task: \(plan), \(state.map { "\($0)" } ?? "unknown")\(isReleased.isSet ? "" : ", not released"), on \(loop)"
  }

  private var state: RunLoopTask.State? { handle.withLock { $0 }?.state }

  // MARK: What happens to it

  fileprivate func begin() {
    Count.ran.add()
    if runs.add() != 1 { complain("\(self) ran again") }
    if !loop.isOwnThread { complain("\(self) ran on another thread") }
  }

  fileprivate func release() {
    // Such a closure is not `Sendable`.
    if [.chained, .oneCall].contains(plan.form), !loop.isOwnThread { complain("\(self) was released elsewhere") }
    isReleased.set()
  }

  func cancel() {
    mayBeCancelled.set()
    guard let task = handle.withLock({ $0 }) else { return }
    let (isInTime, state) = (task.cancel(), task.state)
    if isInTime ? state != .cancelled : state == .pending {
      complain("\(self): cancel() returned \(isInTime)")
    }
  }

  func change(_ body: (RunLoopTask) -> Void) { if let task = handle.withLock({ $0 }) { body(task) } }

  func setKey(_ key: Key) {
    mayBeCancelled.set()
    change { $0.coalesced(by: key) }
  }

  // MARK: Its end

  func waitForEnd() { waitUntil("\(self)") { isReleased.isSet } }

  /// Whether the task has come to its end. Complains if that was not the right one.
  private func isOver() -> Bool {
    guard isReleased.isSet, let state else { return false }
    switch state {
    case .pending, .running: return false
    case .finished: if runs.value != 1 { complain("\(self) ran \(runs.value) times") }
    case .cancelled:
      Count.cancelled.add()
      if runs.value > 0 { complain("\(self) ran") }
      if !mayBeCancelled.isSet, !loop.mayHaveSwept(since: sweepsBefore) { complain("\(self) for no reason") }
    }
    return true
  }

  /// Looks at all tasks that have yet to come to their end, and forgets those that have.
  ///
  /// - Returns: how many are left.
  static func lookAtAll() -> Int {
    let tasks = pending.withLock { $0 }
    let left = tasks.filter { !$0.isOver() }
    if let late = left.first(where: { $0.birth.duration(to: .now) > patience }) { endHanging("\(late)") }
    return pending.withLock { pending in
      pending.removeFirst(tasks.count)
      pending += left
      return pending.count
    }
  }

  static func latest(_ random: inout Random) -> SoakTask? {
    pending.withLock { $0.suffix(256).randomElement(using: &random) }
  }
}

/// What a task's closure captures. Only the closure holds it, so it ends with the closure.
final class TaskBody: Sendable {
  private let task: SoakTask
  private let held = Held(.closures)

  init(_ task: SoakTask) { self.task = task }

  deinit { task.release() }

  func run() {
    task.begin()
    var random = Random(state: task.plan.seed)
    task.plan.action.perform(on: task.loop, &random)
  }
}
