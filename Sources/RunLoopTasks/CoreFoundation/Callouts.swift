import CoreFoundation
import Foundation

/// A repeating observer of a run loop that calls a Swift closure.
///
/// CoreFoundation's observer owns the closure, and lets go of it when it is invalidated or freed with its loop.
struct LoopObserver: @unchecked Sendable {
  // Unchecked, because CoreFoundation guards the object by a lock of its own.
  let cf: CFRunLoopObserver

  init(_ activities: RunLoop.Activity, order: Int, _ handler: @escaping (RunLoop.Activity) -> Void) {
    let callout = Callout(handler)
    var context = CFRunLoopObserverContext()
    context.info = Unmanaged.passUnretained(callout).toOpaque()
    context.retain = retainCallout
    context.release = releaseCallout
    cf = withExtendedLifetime(callout) {
      CFRunLoopObserverCreate(
        kCFAllocatorDefault, CFOptionFlags(activities.rawValue), true, order,
        { _, activity, info in
          let callout = Unmanaged<Callout>.fromOpaque(info!).takeUnretainedValue()
          callout.handler(RunLoop.Activity(rawValue: UInt(activity.rawValue)))
        }, &context)
    }
  }

  func invalidate() { CFRunLoopObserverInvalidate(cf) }
}

/// A source that does nothing when it is signalled: in a mode it keeps the runs of that mode alive.
struct InertSource: @unchecked Sendable {
  // Unchecked, because CoreFoundation guards the object by a lock of its own.
  let cf: CFRunLoopSource

  init() {
    let callout = Callout { _ in }  // sources are compared by their `info`, so each has one of its own
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passUnretained(callout).toOpaque()
    context.retain = retainCallout
    context.release = releaseCallout
    context.perform = { _ in }
    cf = withExtendedLifetime(callout) { CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context) }
  }

  func invalidate() { CFRunLoopSourceInvalidate(cf) }
}

private final class Callout {
  let handler: (RunLoop.Activity) -> Void

  init(_ handler: @escaping (RunLoop.Activity) -> Void) { self.handler = handler }
}

// What CoreFoundation holds is a retained `Callout`: these two are its only owners.
private func retainCallout(_ info: UnsafeRawPointer?) -> UnsafeRawPointer? {
  UnsafeRawPointer(Unmanaged<Callout>.fromOpaque(info!).retain().toOpaque())
}

private func releaseCallout(_ info: UnsafeRawPointer?) {
  Unmanaged<Callout>.fromOpaque(info!).release()
}
