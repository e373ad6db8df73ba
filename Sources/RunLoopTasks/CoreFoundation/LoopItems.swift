import CoreFoundation
import Foundation

/// An observer of a run loop that calls a Swift closure.
///
/// CoreFoundation's observer owns the closure, and releases it when it is invalidated or freed with its loop.
struct LoopObserver: @unchecked Sendable {
  // Unchecked, because CoreFoundation guards the object by a lock of its own.
  let cf: CFRunLoopObserver

  init(
    _ activities: RunLoop.Activity, order: Int, repeats: Bool = true, _ handler: @escaping (RunLoop.Activity) -> Void
  ) {
    var context = CFRunLoopObserverContext()
    context.info = Unmanaged.passRetained(CallbackBox(handler)).toOpaque()
    context.release = CallbackBox.release
    cf = CFRunLoopObserverCreate(
      kCFAllocatorDefault, CFOptionFlags(activities.rawValue), repeats, order, call, &context)
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

/// A version 0 source of a run loop that calls a Swift closure when it was signalled.
///
/// It keeps the runs of its modes alive, and a source without a closure serves only that purpose. CoreFoundation's
/// source owns the closure until the source is freed, even if it is invalidated before.
struct LoopSource: @unchecked Sendable {
  // Unchecked, because CoreFoundation guards the object by a lock of its own.
  let cf: CFRunLoopSource

  init(order: Int = 0, perform: @escaping () -> Void = {}) {
    self.init(order, perform) { context in
      context.perform = { Unmanaged<CallbackBox>.fromOpaque($0!).takeUnretainedValue().handler([]) }
    }
  }

  /// Creates a source that calls a closure when it comes into a mode. CoreFoundation may hold the loop's lock then.
  init(onSchedule: @escaping () -> Void) {
    self.init(0, onSchedule) { context in
      context.schedule = { info, _, _ in Unmanaged<CallbackBox>.fromOpaque(info!).takeUnretainedValue().handler([]) }
      context.perform = { _ in }
    }
  }

  private init(_ order: Int, _ body: @escaping () -> Void, _ setUp: (inout CFRunLoopSourceContext) -> Void) {
    // CoreFoundation compares sources by their `info`, so each source has its own.
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passRetained(CallbackBox { _ in body() }).toOpaque()
    context.release = CallbackBox.release
    setUp(&context)
    cf = CFRunLoopSourceCreate(kCFAllocatorDefault, order, &context)
  }

  func signal() { CFRunLoopSourceSignal(cf) }

  func invalidate() { CFRunLoopSourceInvalidate(cf) }
}

/// A closure in an object, which a CoreFoundation context owns as its `info`.
final class CallbackBox {
  let handler: (RunLoop.Activity) -> Void

  init(_ handler: @escaping (RunLoop.Activity) -> Void) { self.handler = handler }

  /// CoreFoundation calls this when it gives up a context, whose `retain` is `nil`: the context is made with a
  /// reference that it then owns.
  static let release: @convention(c) (UnsafeRawPointer?) -> Void = { Unmanaged<CallbackBox>.fromOpaque($0!).release() }
}
