// On Linux, reflecting CoreFoundation's constant strings, such as the names of modes, ends the process. These mirrors
// therefore hide the stored properties of the public types from `dump`.

extension RunLoopTask: CustomReflectable {
  /// A mirror without children: a task is a unit.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RunLoopTaskQueue: CustomReflectable {
  /// A mirror without children: a queue is a unit.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RunLoopSource: CustomReflectable {
  /// A mirror without children: a source is a unit.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RunLoopObserver: CustomReflectable {
  /// A mirror without children: an observation is a unit.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RunLoopThread: CustomReflectable {
  /// A mirror without children: a thread is a unit.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
