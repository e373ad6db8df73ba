// On Linux the reflection of CoreFoundation's constant strings, the names of modes, ends the process. So a reflection of the
// public types, as by `dump`, does not go inside.

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
