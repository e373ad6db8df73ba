import Foundation

/// An observer that a user has added, and may release on any thread, also while it is being called.
///
/// CoreFoundation reads an observer's callback without its lock, and releases it with the lock. So CoreFoundation's observer is
/// never invalidated on another thread, and the handler is kept here.
final class UserObserver: @unchecked Sendable {
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

  /// Releases the handler, without the lock: what it has captured may do anything then.
  func end() { _ = handler.withLock { $0.take() } }
}
