/// A run of a loop that the package has seen. Only the loop's own thread uses it.
struct Run {
  let mode: ModeID
  /// The pass that the run consists of, if the package drives it.
  let pass: DrivenPass?
  /// What has run in this pass.
  var ran = Ran.nothing
  /// A mode may have become empty in this pass, and the run has not looked since whether that is its own.
  var mayBeEmpty = false
  /// How many passes in a row have caused one more only to make sure that nothing is left, without a message in between.
  var rechecks = 0

  enum Ran {
    case nothing
    /// Tasks, but no idle ones.
    case tasks
    /// An idle task, and perhaps others.
    case idleTask
  }

  mutating func noteTask(isIdle: Bool) {
    if isIdle { ran = .idleTask } else if ran == .nothing { ran = .tasks }
  }
}

/// A pass that the package drives.
final class DrivenPass {
  /// Idle tasks run in slices.
  let isSliced: Bool
  /// The sources that have delivered a batch.
  private var served: Set<ObjectIdentifier> = []

  init(isSliced: Bool = false) { self.isSliced = isSliced }

  /// Whether a source may deliver a batch. It may do so once, because the iterations of the loop are one pass here.
  func mayDeliver(_ source: AnyObject) -> Bool { served.insert(ObjectIdentifier(source)).inserted }
}
