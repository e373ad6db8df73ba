import Foundation

/// A closure as CoreFoundation calls it: the `info` of a context.
final class Callout {
  let handler: (RunLoop.Activity) -> Void

  init(_ handler: @escaping (RunLoop.Activity) -> Void) { self.handler = handler }
}

// What CoreFoundation holds is a retained `Callout`: these two are its only owners.
func retainCallout(_ info: UnsafeRawPointer?) -> UnsafeRawPointer? {
  UnsafeRawPointer(Unmanaged<Callout>.fromOpaque(info!).retain().toOpaque())
}

func releaseCallout(_ info: UnsafeRawPointer?) {
  Unmanaged<Callout>.fromOpaque(info!).release()
}
