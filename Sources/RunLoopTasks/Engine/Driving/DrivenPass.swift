/// A pass that the package drives: a run that is stopped when it is about to sleep.
final class DrivenPass {
  /// Idle tasks run in slices.
  let isSliced: Bool
  /// The sources that have delivered a batch.
  private var served: Set<ObjectIdentifier> = []

  init(isSliced: Bool = false) { self.isSliced = isSliced }

  /// Whether a source may deliver a batch. It may do so once, because the iterations of this run are one pass.
  func mayDeliver(_ source: AnyObject) -> Bool { served.insert(ObjectIdentifier(source)).inserted }
}
