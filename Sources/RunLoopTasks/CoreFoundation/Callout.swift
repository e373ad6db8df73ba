import CoreFoundation
import Foundation

/// A closure as CoreFoundation calls it: the `info` of a context.
final class Callout {
  let handler: (RunLoop.Activity) -> Void
  /// For a source: it was added to a mode of the loop.
  let whenAdded: ((CFRunLoop) -> Void)?

  init(whenAdded: ((CFRunLoop) -> Void)? = nil, _ handler: @escaping (RunLoop.Activity) -> Void) {
    (self.handler, self.whenAdded) = (handler, whenAdded)
  }
}

// What CoreFoundation holds is a retained `Callout`: these two are its only owners.
func retainCallout(_ info: UnsafeRawPointer?) -> UnsafeRawPointer? {
  UnsafeRawPointer(Unmanaged<Callout>.fromOpaque(info!).retain().toOpaque())
}

func releaseCallout(_ info: UnsafeRawPointer?) {
  Unmanaged<Callout>.fromOpaque(info!).release()
}
