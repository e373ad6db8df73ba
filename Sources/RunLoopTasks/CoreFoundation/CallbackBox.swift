import CoreFoundation
import Foundation

/// A closure in an object, which a CoreFoundation context can retain as its `info`.
final class CallbackBox {
  let handler: (RunLoop.Activity) -> Void
  /// For a source: called when it is added to a mode of the loop.
  let whenAdded: ((CFRunLoop) -> Void)?

  init(whenAdded: ((CFRunLoop) -> Void)? = nil, _ handler: @escaping (RunLoop.Activity) -> Void) {
    (self.handler, self.whenAdded) = (handler, whenAdded)
  }

  // CoreFoundation calls these two to retain and release the box.

  static let retain: @convention(c) (UnsafeRawPointer?) -> UnsafeRawPointer? = { info in
    UnsafeRawPointer(Unmanaged<CallbackBox>.fromOpaque(info!).retain().toOpaque())
  }

  static let release: @convention(c) (UnsafeRawPointer?) -> Void = { info in
    Unmanaged<CallbackBox>.fromOpaque(info!).release()
  }
}
