import CoreFoundation
import Foundation

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
