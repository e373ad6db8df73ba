import Foundation

/// An observer that a user has added. The user may release it on any thread, even during a call of its handler.
///
/// CoreFoundation reads an observer's callback without its lock, but releases the callback with the lock. Other threads
/// therefore never invalidate the CoreFoundation observer, and this object keeps the handler.
final class UserObserver: @unchecked Sendable {
  // Unchecked, because the handler, which is not `Sendable`, is called on the loop's own thread only.

  // In an object. Swift would wrap a closure anew each time that generic code such as `withLock` passes it on as
  // `inout`, and each call would go through all the wrappers.
  private let handler: Locked<CallbackBox?>
  let observer: LoopObserver

  init(
    of activities: RunLoop.Activity, order: Int, repeats: Bool, _ handler: @escaping (RunLoop.Activity) -> Void
  ) {
    let locked = Locked<CallbackBox?>(CallbackBox(handler))
    self.handler = locked
    observer = LoopObserver(activities, order: order, repeats: repeats) { activity in
      locked.withLock { repeats ? $0 : $0.take() }?.handler(activity)
    }
  }

  var isValid: Bool { handler.withLock { $0 != nil } }

  /// Releases the handler without the lock, because the release may run any code. An unused value may be released
  /// earlier, while the lock is still held.
  func end() { withExtendedLifetime(handler.withLock { $0.take() }) {} }
}
