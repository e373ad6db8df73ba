/// What an app has changed, and which frame shows it.
@MainActor final class Screen {
  /// What each commit has sent to the screen. A commit without changes is no frame.
  private var frames: [[String]] = []
  private var changes: [String] = []

  func change(_ view: String) { changes.append(view) }

  func commit() {
    if !changes.isEmpty { frames.append(changes) }
    changes = []
  }

  /// The numbers of the frames that show a change of a view, the first of which is 1.
  func frames(showing view: String) -> [Int] {
    frames.enumerated().flatMap { index, changes in changes.filter { $0 == view }.map { _ in index + 1 } }
  }
}
