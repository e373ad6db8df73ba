import Foundation

/// A closure in an object, which a CoreFoundation context owns as its `info`.
final class CallbackBox {
  let handler: (RunLoop.Activity) -> Void

  init(_ handler: @escaping (RunLoop.Activity) -> Void) { self.handler = handler }

  /// CoreFoundation calls this when it gives up a context, whose `retain` is `nil`: the context is made with a reference
  /// that it then owns.
  static let release: @convention(c) (UnsafeRawPointer?) -> Void = { Unmanaged<CallbackBox>.fromOpaque($0!).release() }
}
