import Foundation

/// An observer of a user, who may let go of it on any thread, also while it is being called.
///
/// CoreFoundation reads what an observer is to call outside its lock, and lets go of it inside. So what it has is an empty shell,
/// it is never invalidated on another thread, and the handler is kept here.
final class Observation: @unchecked Sendable {
  // Unchecked, because the handler, which is not `Sendable`, is called on the loop's own thread only.
  private let handler: Locked<((RunLoop.Activity) -> Void)?>
  let observer: LoopObserver

  init(
    of activities: RunLoop.Activity, order: Int, repeats: Bool, _ handler: @escaping (RunLoop.Activity) -> Void
  ) {
    let locked = Locked<((RunLoop.Activity) -> Void)?>(handler)
    self.handler = locked
    observer = LoopObserver(activities, order: order, repeats: repeats) { activity in
      let handler = locked.withLock { handler in
        defer { if !repeats { handler = nil } }
        return handler
      }
      handler?(activity)
    }
  }

  var isValid: Bool { handler.withLock { $0 != nil } }

  /// Lets go of the handler, which may do anything when it goes, and not under the lock.
  func end() { _ = handler.withLock { $0.take() } }
}
