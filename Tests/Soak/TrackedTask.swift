import Foundation
import RunLoopTasks

/// A task with its arguments and its history.
final class TrackedTask: Sendable, CustomStringConvertible {
  let loop: HostedLoop
  let request: Request
  private let line: Line
  private let number: Int
  private let birth = ContinuousClock.now
  private let handle = Locked<RunLoopTask?>(nil)
  /// The number of calls of `cancelAll` that had returned before the scheduling.
  private let cancelAllsBefore: Int

  private let runs = Counter()
  private let cancelsBegun = Counter()
  private let cancelsEnded = Counter()
  private let cancelHits = Counter()
  private let isReleased = Flag()
  private let isChanged = Flag()
  private let isJudged = Flag()
  private let keptClosure = Flag()
  /// Set before the scheduling of a task that may replace this one.
  let mayBeReplaced = Flag()
  /// Set before the task may get another key.
  private let mayHaveOtherKey = Flag()

  init(_ request: Request, on loop: HostedLoop, line: Line, number: Int) {
    (self.request, self.loop, self.line, self.number) = (request, loop, line, number)
    cancelAllsBefore = loop.cancelAllsEnded.value
  }

  var description: String { "task \(number) of its line, \(request), on \(loop)" }
  var progress: String {
    "\(state.map { "\($0)" } ?? "not scheduled"), \(isReleased.isSet ? "released" : "kept"), \(age) old"
  }
  var age: Duration { birth.duration(to: .now) }
  var hasRun: Bool { runs.value > 0 }
  private var state: RunLoopTask.State? { handle.withLock { $0 }?.state }

  private func complain(_ what: String) { Monitor.complain("\(self): \(what)") }

  // MARK: Events

  /// Notes that the task was scheduled.
  ///
  /// - Parameters:
  ///   - hadEnded: whether the loop had ended before.
  ///   - former: the task that this task replaces if `former` is pending.
  func scheduled(as task: RunLoopTask, hadEnded: Bool, replacing former: TrackedTask?) {
    handle.withLock { $0 = task }
    if hadEnded, task.state != .cancelled || !isReleased.isSet { complain("was taken by a loop that had ended") }
    // For another thread's task the loop decides later.
    if let former, loop.isOwnThread, !former.mayHaveOtherKey.isSet, former.state == .pending {
      former.complain("is pending beside a task with the same key")
    }
  }

  /// Notes that the closure begins.
  func begin() {
    Count.ran.add()
    if runs.add() != 1 { complain("ran again") }
    if isJudged.isSet { complain("ran after its end") }
    if !loop.isOwnThread { complain("ran on another thread") }
    if !isChanged.isSet, !line.begin(number) { complain("ran after a task that was scheduled later") }
  }

  /// Notes that the closure was released.
  func release() {
    if request.form.isBoundToThread, !loop.isOwnThread {
      complain("was released by another thread, and is not Sendable")
    }
    isReleased.set()
  }

  /// Cancels the task. Call it on any thread.
  func cancel() {
    guard let task = handle.withLock({ $0 }) else { return }
    cancelsBegun.add()
    let isHit = task.cancel()
    if isHit {
      if cancelHits.add() != 1 { complain("was cancelled twice") }
      if task.state != .cancelled { complain("is \(task.state) after it was cancelled") }
      if loop.isOwnThread, !isReleased.isSet { complain("kept its closure when its own thread had cancelled it") }
    } else if task.state == .pending {
      complain("is pending after cancel() returned false")
    }
    cancelsEnded.add()
  }

  /// Changes the task. Call it on any thread. The task may then run at any place in line.
  func change(newKey: Bool = false, _ body: (RunLoopTask) -> Void) {
    guard let task = handle.withLock({ $0 }) else { return }
    Count.changed.add()
    isChanged.set()
    if newKey {
      mayBeReplaced.set()
      mayHaveOtherKey.set()
    }
    body(task)
  }

  // MARK: Judgement

  /// Judges the task if nothing more can happen to it.
  ///
  /// - Returns: whether it has judged the task.
  func judge() -> Bool {
    guard let state, state == .finished || state == .cancelled else { return false }
    if state == .finished, !isReleased.isSet, keptClosure.set() { complain("kept its closure when it had run") }
    guard isReleased.isSet, cancelsEnded.value == cancelsBegun.value else { return false }
    if state == .cancelled {
      judgeCancelled()
    } else {
      isJudged.set()
      if runs.value != 1 { complain("is finished, and ran \(runs.value) times") }
      if cancelHits.value > 0 { complain("was run and cancelled") }
    }
    return true
  }

  /// - Parameter isAskedFor: whether the workload has cancelled the `Task` that awaits this task.
  func judgeCancelled(isAskedFor: Bool = false) {
    isJudged.set()
    if hasRun { complain("was cancelled and ran") }
    let isSwept = loop.isEnding.isSet || loop.cancelAllsBegun.value > cancelAllsBefore
    if cancelHits.value > 0 || isAskedFor {
      Count.cancelled.add()
    } else if mayBeReplaced.isSet {
      Count.replaced.add()
    } else if isSwept {
      Count.swept.add()
    } else {
      complain("was cancelled for no reason")
    }
  }
}

/// The object that a task's closure captures. Only the closure holds it, so it ends with the closure.
final class TaskBody: Sendable {
  private let task: TrackedTask
  private let counted: CountedObject

  init(_ task: TrackedTask, _ window: Window?) { (self.task, counted) = (task, CountedObject(.closures, in: window)) }

  deinit { task.release() }

  func run() {
    task.begin()
    var random = Random(state: task.request.seed)
    task.request.action.perform(on: task.loop, &random)
  }
}
