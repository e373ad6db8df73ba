import CoreFoundation
import Foundation

/// A version 0 source of a run loop that calls a Swift closure when it was signalled.
///
/// It keeps the runs of its modes alive, and a source without a closure serves only that purpose. CoreFoundation's
/// source owns the closure until the source is freed, even if it is invalidated before.
struct LoopSource: @unchecked Sendable {
  // Unchecked, because CoreFoundation guards the object by a lock of its own.
  let cf: CFRunLoopSource

  init(order: Int = 0, perform: @escaping () -> Void = {}) {
    // CoreFoundation compares sources by their `info`, so each source has its own.
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passRetained(CallbackBox { _ in perform() }).toOpaque()
    context.release = CallbackBox.release
    context.perform = { Unmanaged<CallbackBox>.fromOpaque($0!).takeUnretainedValue().handler([]) }
    cf = CFRunLoopSourceCreate(kCFAllocatorDefault, order, &context)
  }

  func signal() { CFRunLoopSourceSignal(cf) }

  func invalidate() { CFRunLoopSourceInvalidate(cf) }
}
