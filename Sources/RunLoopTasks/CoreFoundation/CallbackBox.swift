import CoreFoundation
import Foundation

/// A closure in the form in which CoreFoundation keeps it: the `info` of a context.
final class CallbackBox {
  let handler: (RunLoop.Activity) -> Void
  /// For a source: called when it is added to a mode of the loop.
  let whenAdded: ((CFRunLoop) -> Void)?

  init(whenAdded: ((CFRunLoop) -> Void)? = nil, _ handler: @escaping (RunLoop.Activity) -> Void) {
    (self.handler, self.whenAdded) = (handler, whenAdded)
  }

  // CoreFoundation retains and releases the box by these two.

  static let retain: @convention(c) (UnsafeRawPointer?) -> UnsafeRawPointer? = { info in
    UnsafeRawPointer(Unmanaged<CallbackBox>.fromOpaque(info!).retain().toOpaque())
  }

  static let release: @convention(c) (UnsafeRawPointer?) -> Void = { info in
    Unmanaged<CallbackBox>.fromOpaque(info!).release()
  }
}
