/// A pass that the package drives: a run that is stopped when it is about to sleep.
enum DrivenPass {
  /// All idle tasks that are due run.
  case unsliced
  /// Idle tasks run in slices.
  case sliced
}
