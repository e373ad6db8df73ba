import CoreFoundation
import Foundation

/// A version 0 source of a run loop that calls a Swift closure when it was signalled.
///
/// In a mode it keeps the runs of that mode alive; one that does nothing is there for that alone. CoreFoundation's source owns
/// the closure until it is freed, also when it was invalidated before.
struct LoopSource: @unchecked Sendable {
  // Unchecked, because CoreFoundation guards the object by a lock of its own.
  let cf: CFRunLoopSource

  /// - Parameter whenAdded: called whenever the source is added to a mode, also if that is because the mode becomes a common one.
  init(order: Int = 0, perform: @escaping () -> Void = {}, whenAdded: ((CFRunLoop) -> Void)? = nil) {
    // Sources are compared by their `info`, so each has one of its own.
    let box = CallbackBox(whenAdded: whenAdded) { _ in perform() }
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passUnretained(box).toOpaque()
    context.retain = CallbackBox.retain
    context.release = CallbackBox.release
    context.perform = { Unmanaged<CallbackBox>.fromOpaque($0!).takeUnretainedValue().handler([]) }
    if whenAdded != nil {
      context.schedule = { info, loop, _ in
        Unmanaged<CallbackBox>.fromOpaque(info!).takeUnretainedValue().whenAdded!(loop!)
      }
    }
    cf = withExtendedLifetime(box) { CFRunLoopSourceCreate(kCFAllocatorDefault, order, &context) }
  }

  func signal() { CFRunLoopSourceSignal(cf) }

  func invalidate() { CFRunLoopSourceInvalidate(cf) }
}
