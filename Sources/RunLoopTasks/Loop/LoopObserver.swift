import CoreFoundation
import Foundation

/// An observer of a run loop that calls a Swift closure.
///
/// CoreFoundation's observer owns the closure, and releases it when it is invalidated or freed with its loop.
struct LoopObserver: @unchecked Sendable {
  // Unchecked, because CoreFoundation guards the object by a lock of its own.
  let cf: CFRunLoopObserver

  init(
    _ activities: RunLoop.Activity, order: Int, _ handler: @escaping (RunLoop.Activity) -> Void
  ) {
    var context = CFRunLoopObserverContext()
    context.info = Unmanaged.passRetained(CallbackBox(handler)).toOpaque()
    context.release = CallbackBox.release
    cf = CFRunLoopObserverCreate(
      kCFAllocatorDefault, CFOptionFlags(activities.rawValue), true, order, call, &context)
  }

  /// Must not be called during a call of the observer, because nothing retains the closure then.
  ///
  /// - Complexity: O(modes of the loop), unless it was removed from its modes before.
  func invalidate() { CFRunLoopObserverInvalidate(cf) }
}

private let call: CFRunLoopObserverCallBack = { _, activity, info in
  Unmanaged<CallbackBox>.fromOpaque(info!).withUnretained {
    $0.handler(RunLoop.Activity(rawValue: UInt(activity.rawValue)))
  }
}

/// A closure in an object, which a CoreFoundation context owns as its `info`.
final class CallbackBox {
  let handler: (RunLoop.Activity) -> Void

  init(_ handler: @escaping (RunLoop.Activity) -> Void) { self.handler = handler }

  /// CoreFoundation calls this when it gives up a context, whose `retain` is `nil`: the context is made with a
  /// reference that it then owns.
  static let release: @convention(c) (UnsafeRawPointer?) -> Void = { Unmanaged<CallbackBox>.fromOpaque($0!).release() }
}
