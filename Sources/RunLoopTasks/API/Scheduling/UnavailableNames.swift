import Foundation

// Names that a user may try first. The compiler refuses them with the words to write instead. Most of all this helps in
// a chain: for any other wrong name there, the compiler takes the first `perform` for Foundation's, and says that
// "value of tuple type '()' has no member 'when'".

extension RunLoopTask {
  /// Its name is `forModes(_:)`.
  @available(*, unavailable, renamed: "forModes(_:)")
  @discardableResult
  public func forMode(_ mode: RunLoop.Mode) -> RunLoopTask { fatalError() }

  /// Its name is `after(_:)`.
  @available(*, unavailable, renamed: "after(_:)")
  @discardableResult
  public func delay(_ delay: Duration) -> RunLoopTask { fatalError() }

  /// Its name is `order(_:)`.
  @available(*, unavailable, message: "Write `.order(_:)`: tasks with a lower order run first")
  @discardableResult
  public func priority(_ priority: Int) -> RunLoopTask { fatalError() }

  /// Its name is `coalesced(by:)`.
  @available(*, unavailable, renamed: "coalesced(by:)")
  @discardableResult
  public func coalesce(by key: some Hashable & Sendable) -> RunLoopTask { fatalError() }

  /// It is a delay with a key.
  @available(*, unavailable, message: "A debounce is a delay with a key: write `.after(_:).coalesced(by:)`")
  @discardableResult
  public func debounce(for delay: Duration) -> RunLoopTask { fatalError() }

  /// It is an interval with a key.
  @available(*, unavailable, message: "Set an interval: write `.coalesced(by:atMostEvery:)`, which runs the latest")
  @discardableResult
  public func throttle(for interval: Duration, latest: Bool = true) -> RunLoopTask { fatalError() }

  /// An interval needs a key.
  @available(*, unavailable, message: "An interval needs a key: write `.coalesced(by:atMostEvery:)`")
  @discardableResult
  public func atMostEvery(_ interval: Duration) -> RunLoopTask { fatalError() }

  /// A task runs once.
  @available(*, unavailable, message: "A task runs once: use a `Timer`, or let the task schedule the next one")
  @discardableResult
  public func every(_ interval: Duration) -> RunLoopTask { fatalError() }

  /// Its name is `forModes(_:)`.
  @available(*, unavailable, renamed: "forModes(_:)")
  @discardableResult
  public func inModes(_ modes: [RunLoop.Mode]) -> RunLoopTask { fatalError() }

  /// Its name is `runNow()`.
  @available(*, unavailable, renamed: "runNow()")
  @discardableResult
  public func fire() -> Bool { fatalError() }

  /// Its name is `within(_:)`.
  @available(*, unavailable, renamed: "within(_:)")
  @discardableResult
  public func deadline(_ limit: Duration) -> RunLoopTask { fatalError() }

  /// Its name is `within(_:)`.
  @available(*, unavailable, message: "Write `.within(_:)`: once this has passed, the task runs at the next activity")
  @discardableResult
  public func timeout(_ limit: Duration) -> RunLoopTask { fatalError() }

  /// It is one of the states.
  @available(*, unavailable, message: "Compare the state: `task.state == .cancelled`")
  public var isCancelled: Bool { fatalError() }
}

extension RunLoopTask.Timing {
  /// Its name is `currentLoopEnded`.
  @available(*, unavailable, renamed: "currentLoopEnded")
  public static var beforeWaiting: RunLoopTask.Timing { fatalError() }

  /// Its name is `currentLoopEnded`.
  @available(*, unavailable, renamed: "currentLoopEnded")
  public static var asap: RunLoopTask.Timing { fatalError() }

  /// Its name is `nextLoopBegan`.
  @available(*, unavailable, renamed: "nextLoopBegan")
  public static var afterWaiting: RunLoopTask.Timing { fatalError() }

  /// Its name is `idle`.
  @available(*, unavailable, renamed: "idle")
  public static var exit: RunLoopTask.Timing { fatalError() }

  /// Its name is `idle`.
  @available(*, unavailable, renamed: "idle")
  public static var whenIdle: RunLoopTask.Timing { fatalError() }
}

/// Forms of the timings' names. The compiler cannot be given a hint for any other wrong name.
extension RunLoopTask.Timing {
  /// Its name is `currentLoopEnded`.
  @available(*, unavailable, renamed: "currentLoopEnded")
  public static var currentLoopEnd: RunLoopTask.Timing { fatalError() }

  /// Its name is `currentLoopEnded`.
  @available(*, unavailable, renamed: "currentLoopEnded")
  public static var currentLoopEnds: RunLoopTask.Timing { fatalError() }

  /// Its name is `currentLoopEnded`.
  @available(*, unavailable, renamed: "currentLoopEnded")
  public static var loopEnded: RunLoopTask.Timing { fatalError() }

  /// Its name is `nextLoopBegan`.
  @available(*, unavailable, renamed: "nextLoopBegan")
  public static var nextLoopBegin: RunLoopTask.Timing { fatalError() }

  /// Its name is `nextLoopBegan`.
  @available(*, unavailable, renamed: "nextLoopBegan")
  public static var nextLoopBegins: RunLoopTask.Timing { fatalError() }

  /// Its name is `nextLoopBegan`.
  @available(*, unavailable, renamed: "nextLoopBegan")
  public static var nextLoop: RunLoopTask.Timing { fatalError() }
}

extension RunLoop {
  /// Another thread may cancel, so the queue does.
  @available(*, unavailable, message: "The queue cancels: write `taskQueue.cancelTask(coalescedBy:)`")
  public func cancelTask(coalescedBy key: some Hashable & Sendable) { fatalError() }
}

extension RunLoopTaskQueue {
  /// Only the loop's own thread runs a task.
  @available(*, unavailable, message: "On the loop's own thread, write `RunLoop.current.runTask(coalescedBy:)`")
  @discardableResult
  public func runTask(coalescedBy key: some Hashable) -> Bool { fatalError() }
}

extension RunLoopThread {
  /// Its queue performs.
  @available(*, unavailable, message: "The thread's queue performs: write `thread.taskQueue.perform(when:)`")
  @discardableResult
  public func perform(
    when timing: RunLoopTask.Timing = .nextLoopBegan, _ closure: @escaping @Sendable () -> Void
  ) -> RunLoopTask { fatalError() }
}

/// For `forModes: .default`, where an array belongs.
extension [RunLoop.Mode] {
  /// Modes are an array: write `[.default]`.
  @available(*, unavailable, message: "Modes are an array: write `[.default]`")
  public static var `default`: [RunLoop.Mode] { fatalError() }

  /// Modes are an array: write `[.common]`.
  @available(*, unavailable, message: "Modes are an array: write `[.common]`")
  public static var common: [RunLoop.Mode] { fatalError() }
}
