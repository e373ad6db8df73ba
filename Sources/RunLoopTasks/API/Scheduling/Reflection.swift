// On Linux, reflecting CoreFoundation's constant strings, such as the names of modes, ends the process. These mirrors
// therefore hide the stored properties of the public types from `dump`.
extension RunLoopTask: Unit {}
extension RunLoopTaskQueue: Unit {}
extension RunLoopSource: Unit {}
extension RunLoopObserver: Unit {}
extension RunLoopThread: Unit {}

/// A type whose values have no parts that a user may see.
protocol Unit: CustomReflectable {}

extension Unit {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
