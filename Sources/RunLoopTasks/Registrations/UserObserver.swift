import Foundation

/// An observer that a user has added. The user may release it on any thread, even during a call of its handler.
///
/// CoreFoundation reads an observer's callback without its lock, but releases the callback with the lock. Other threads
/// therefore never invalidate the CoreFoundation observer, and this object keeps the handler.
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

  /// Releases the handler without the lock, because the release may run any code. An unused value may be released
  /// earlier, while the lock is still held.
  func end() { withExtendedLifetime(handler.withLock { $0.take() }) {} }
}
