/// A run of a loop that the package knows. Only the loop's own thread uses it.
struct Run {
  let mode: ModeID
  /// The outer run, in which this one is nested, was past its last check when this one began, so that it will not look
  /// at the tasks again before it sleeps. If no outer run is known, this is false, and `areRunsHidden` tells whether
  /// there may be a hidden one. A hidden run inside a known one is taken to have begun after its check.
  let isOuterPastCheck: Bool
  /// The modes in which the package kept outer runs alive, or may have, when this run was noted. They are attached
  /// again when it ends, even without tasks: the outer runs have to wake once more to find their modes empty.
  let outerModesKeptAlive: [ModeID]
  /// What has run in this pass.
  var ran = Ran.nothing
  /// The budget or a slice has ended a batch of this pass early.
  var isCutShort = false
  /// The number of successive checks that found only a recheck to do. It begins anew when messages are read, or, during
  /// the back-off, when something else than the timer wakes the loop.
  var rechecks = 0

  enum Ran {
    case nothing
    /// Tasks, but no idle ones.
    case tasks
    /// An idle task, and perhaps others.
    case idleTask
  }

  /// A pass ends at the last check before the sleep. What later observers run counts towards the next pass.
  mutating func endPass(isRechecked: Bool) {
    (ran, isCutShort) = (.nothing, false)
    rechecks = isRechecked ? rechecks + 1 : 0
  }

  mutating func noteTask(isIdle: Bool) {
    if isIdle { ran = .idleTask } else if ran == .nothing { ran = .tasks }
  }
}
