import Foundation

/// One of the scheduler's ears: an observer of a single activity.
///
/// A run loop does not call an observer that it is already calling. If a task runs its loop again, the observer that called
/// the task is deaf in that nested run, so each activity has an observer of its own, and gets another where its own is busy.
/// Of those that hear the same activity the first that is not busy serves it.
///
/// Belongs to the loop's own thread.
final class Hearer {
  let activity: RunLoop.Activity
  /// Whether it is calling tasks.
  @exclusivity(unchecked) var isBusy = false
  /// Whether it was added because another one was busy.
  let isSpare: Bool
  var observer: LoopObserver?

  init(_ activity: RunLoop.Activity, isSpare: Bool) {
    self.activity = activity
    self.isSpare = isSpare
  }
}
