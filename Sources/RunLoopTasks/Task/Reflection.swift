// On Linux, reflecting CoreFoundation's constant strings, such as the names of modes, ends the process. These mirrors
// therefore hide the stored properties of the public types from `dump`.
extension RunLoopTask: Opaque {}
extension RunLoopTaskQueue: Opaque {}
extension RunLoopSource: Opaque {}
extension RunLoopObserver: Opaque {}
extension RunLoopThread: Opaque {}

/// A type whose values have no parts that a user may see.
protocol Opaque: CustomReflectable {}

extension Opaque {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
