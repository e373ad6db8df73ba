import Foundation
import RunLoopTasks

/// The account of one piece of work: what was asked for, and what has become of it.
final class Piece: Sendable {
  let loop: Loop
  private let wish: String
  private let line: Line
  private let number: Int
  private let birth = ContinuousClock.now
  /// Calls of `cancelAll` that were over when it was scheduled.
  private let cancelAllsBefore: Int
  /// The thread that alone may let go of the closure, if it is not `Sendable`.
  private let isBoundToThread: Bool

  private let runs = Counter()
  private let released = Flag()
  private let cancelsBegun = Counter()
  private let cancelsEnded = Counter()
  private let hits = Counter()
  private let amended = Flag()
  private let judged = Flag()
  private let keptClosure = Flag()
  /// Set before a task is scheduled that may replace this one.
  let mayBeReplaced = Flag()
  /// Set before it may get another key.
  let mayBeRekeyed = Flag()

  init(_ wish: Wish, on loop: Loop, _ line: Line, _ number: Int, isBoundToThread: Bool = false) {
    (self.loop, self.line, self.number, self.isBoundToThread) = (loop, line, number, isBoundToThread)
    self.wish = "\(wish)"
    cancelAllsBefore = loop.cancelAllsEnded.value
  }

  var description: String { "task \(number) of its line, \(wish), on loop \(loop.number)" }
  var age: Duration { birth.duration(to: .now) }
  var isReleased: Bool { released.isSet }
  var hasRun: Bool { runs.value > 0 }

  func complain(_ what: String) { Watch.complain("\(description): \(what)") }

  // MARK: What becomes of it

  /// It is being called.
  func begin() {
    Figure.ran.count()
    if runs.add() != 1 { complain("ran again") }
    if judged.isSet { complain("ran when its end was known") }
    if !loop.isOwnThread { complain("ran on another thread") }
    if !amended.isSet, !line.begin(number) { complain("ran after one that was scheduled later") }
  }

  /// Its closure is gone.
  func release() {
    if isBoundToThread, !loop.isOwnThread { complain("was let go of by another thread, and is not Sendable") }
    released.set()
  }

  /// Cancels it, on any thread.
  func cancel(_ task: RunLoopTask) {
    cancelsBegun.add()
    let hasHit = task.cancel()
    if hasHit, hits.add() != 1 { complain("was cancelled twice") }
    if hasHit, task.state != .cancelled { complain("is \(task.state) after it was cancelled") }
    if !hasHit, task.state == .pending { complain("is pending after cancel() said that it was too late") }
    if hasHit, loop.isOwnThread, !isReleased { complain("kept its closure when its own thread had cancelled it") }
    cancelsEnded.add()
  }

  /// From now on it may run at any place in line.
  func amend(_ body: () -> Void) {
    Figure.amendments.count()
    amended.set()
    body()
  }

  // MARK: Whether that is right

  /// Judges the piece if nothing more can become of it.
  ///
  /// - Returns: whether it did.
  func judge(_ state: RunLoopTask.State) -> Bool {
    if state == .finished, !isReleased, keptClosure.set() { complain("kept its closure when it had run") }
    guard state == .finished || state == .cancelled, isReleased else { return false }
    guard cancelsEnded.value == cancelsBegun.value else { return false }
    judged.set()
    if state == .finished {
      if runs.value != 1 { complain("is finished, and ran \(runs.value) times") }
      if hits.value > 0 { complain("was run and cancelled") }
    } else {
      judgeCancelled()
    }
    return true
  }

  /// - Parameter isAskedFor: whether the one who waits for it was cancelled.
  func judgeCancelled(isAskedFor: Bool = false) {
    judged.set()
    if runs.value > 0 { complain("was cancelled and ran \(runs.value) times") }
    switch (hits.value, mayBeReplaced.isSet, mayBeSwept) {
    case (1, _, _): Figure.cancelled.count()
    case (0, _, _) where isAskedFor: break
    case (0, true, _): Figure.replaced.count()
    case (0, _, true): Figure.swept.count()
    default: complain("was cancelled, and nobody asked for that")
    }
  }

  /// Whether something has cancelled all of the loop's tasks since.
  private var mayBeSwept: Bool { loop.isEnding.isSet || loop.cancelAllsBegun.value > cancelAllsBefore }
}

/// Tasks that are promised to begin in the order of their scheduling: of one thread, for one loop, timing and set of modes; or
/// of one key, where one that was replaced does not run later.
final class Line: Sendable {
  private let last = Guarded(0)

  /// - Returns: whether it is this one's turn.
  func begin(_ number: Int) -> Bool {
    last.withLock { last in
      defer { last = max(last, number) }
      return number > last
    }
  }
}
