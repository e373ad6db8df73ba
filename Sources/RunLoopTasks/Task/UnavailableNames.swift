// Names that a user may try first. The compiler refuses them with the words to write instead. Most of all this helps in
// a chain: for any other wrong name there, the compiler takes the first `perform` for Foundation's, and says that
// "value of tuple type '()' has no member 'when'". The reference shows none of them.
//
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, OneVariableDeclarationPerLine

import Foundation

// MARK: Timings, in whose place the compiler cannot be given a hint for every wrong name

extension RunLoopTask.Timing {
  @available(*, unavailable, renamed: "currentLoopEnded")
  public static let asap = idle, beforeSleep = idle, endOfPass = idle, beforeWaiting = idle, loopEnded = idle,
    endOfLoop = idle, currentLoopEnd = idle, currentLoopEnding = idle, currentLoopEnds = idle, currentPassEnded = idle,
    currentRunLoopEnded = idle

  @available(*, unavailable, renamed: "nextLoopBegan")
  public static let afterWaiting = idle, nextLoop = idle, nextPass = idle, nextPassBegan = idle, nextLoopBegin = idle,
    nextLoopBegins = idle, nextRunLoopBegan = idle

  @available(*, unavailable, renamed: "idle")
  public static let whenIdle = idle, onIdle = idle

  @available(*, unavailable, message: "Write `.idle`, or for each end of a run `observe(.exit)`")
  public static let exit = idle
}

// MARK: Options and states

@available(*, unavailable, renamed: "forModes(_:)")
extension RunLoopTask {
  public func forMode(_ mode: RunLoop.Mode) -> RunLoopTask { fatalError() }
  public func inMode(_ mode: RunLoop.Mode) -> RunLoopTask { fatalError() }
  public func inModes(_ modes: [RunLoop.Mode]) -> RunLoopTask { fatalError() }
  public func mode(_ mode: RunLoop.Mode) -> RunLoopTask { fatalError() }
  public func modes(_ modes: RunLoop.Mode...) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "Write `.order(_:)`: tasks with a lower order run first")
extension RunLoopTask {
  public func priority(_ priority: Int) -> RunLoopTask { fatalError() }
  public func priority(_ priority: TaskPriority) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "A task runs once: use a `Timer`, or a `Task` that sleeps on `taskQueue.clock`")
extension RunLoopTask {
  public func every(_ interval: Duration) -> RunLoopTask { fatalError() }
  public func `repeat`(_ interval: Duration) -> RunLoopTask { fatalError() }
  public func repeats(_ interval: Duration) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "A debounce is a delay with a key: write `.after(_:).coalesced(by:)`")
extension RunLoopTask {
  public func debounce(_ delay: Duration) -> RunLoopTask { fatalError() }
  public func debounce(for delay: Duration) -> RunLoopTask { fatalError() }
  public func debounced(for delay: Duration) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "An interval needs a key: write `.coalesced(by:atMostEvery:)`")
extension RunLoopTask {
  public func atMostEvery(_ interval: Duration) -> RunLoopTask { fatalError() }
  public func throttle(_ interval: Duration) -> RunLoopTask { fatalError() }
  public func throttle(for interval: Duration, latest: Bool = true) -> RunLoopTask { fatalError() }
  public func throttled(for interval: Duration) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "Compare the state, as in `task.state == .finished` or `.cancelled`")
extension RunLoopTask {
  public var isCancelled: Bool { fatalError() }
  public var isDone: Bool { fatalError() }
  public var isFinished: Bool { fatalError() }
}

@available(*, unavailable, message: "A delay is a `Duration`: write `.after(.milliseconds(300))`")
extension RunLoopTask {
  public func after(_ seconds: Double) -> RunLoopTask { fatalError() }
  public func after(_ date: DispatchTime) -> RunLoopTask { fatalError() }
}

extension RunLoopTask {
  @available(*, unavailable, renamed: "when(_:)")
  public func at(_ timing: Timing) -> RunLoopTask { fatalError() }

  @available(*, unavailable, message: "Compare the state, as in `task.state == .pending`")
  public var isPending: Bool { fatalError() }

  @available(*, unavailable, message: "Write `.when(.idle)`")
  public func whenIdle() -> RunLoopTask { fatalError() }

  @available(*, unavailable, renamed: "after(_:)")
  public func delay(_ delay: Duration) -> RunLoopTask { fatalError() }

  @available(*, unavailable, renamed: "after(_:)")
  public func delayed(by delay: Duration) -> RunLoopTask { fatalError() }

  @available(*, unavailable, renamed: "within(_:)")
  public func deadline(_ limit: Duration) -> RunLoopTask { fatalError() }

  @available(*, unavailable, message: "Write `.within(_:)`: once this has passed, the task runs; nothing is cancelled")
  public func timeout(_ limit: Duration) -> RunLoopTask { fatalError() }

  @available(*, unavailable, renamed: "coalesced(by:)")
  public func coalesce(by key: some Hashable & Sendable) -> RunLoopTask { fatalError() }

  @available(*, unavailable, renamed: "coalesced(by:)")
  public func coalescedBy(_ key: some Hashable & Sendable) -> RunLoopTask { fatalError() }

  @available(*, unavailable, message: "A key is `Hashable`: write `.coalesced(by: OwnerKey(self))` for an object")
  public func coalesced(by owner: AnyObject, atMostEvery interval: Duration = .zero) -> RunLoopTask { fatalError() }

  @available(*, unavailable, renamed: "runNow()")
  public func fire() -> Bool { fatalError() }
}

// MARK: Calls

@available(*, unavailable, renamed: "perform(when:_:)")
extension RunLoop {
  public func perform(at timing: RunLoopTask.Timing, _ closure: @escaping () -> Void) { fatalError() }
  public func perform(_ timing: RunLoopTask.Timing, _ closure: @escaping () -> Void) { fatalError() }
}

@available(*, unavailable, renamed: "perform(when:_:)")
extension RunLoopTaskQueue {
  public func perform(at timing: RunLoopTask.Timing, _ closure: @escaping @Sendable () -> Void) { fatalError() }
  public func perform(_ timing: RunLoopTask.Timing, _ closure: @escaping @Sendable () -> Void) { fatalError() }
}

@available(*, unavailable, renamed: "perform(when:_:)")
extension MainActor {
  public static func perform(at timing: RunLoopTask.Timing, _ closure: @escaping @MainActor () -> Void) { fatalError() }
  public static func perform(_ timing: RunLoopTask.Timing, _ closure: @escaping @MainActor () -> Void) { fatalError() }
}

extension RunLoopThread {
  @available(*, unavailable, message: "The thread's queue performs: write `thread.taskQueue.perform(when:)`")
  public func perform(when _: RunLoopTask.Timing = .idle, _ closure: @escaping @Sendable () -> Void) { fatalError() }
}

extension RunLoop {
  @available(*, unavailable, message: "The closure can neither throw nor await: catch errors in it, or start a `Task`")
  @_disfavoredOverload
  public func perform(_ closure: @escaping () async throws -> Void) -> RunLoopTask { fatalError() }

  @available(*, unavailable, message: "Write `perform(when:forModes:)`, or chain `.forModes(_:)`")
  @_disfavoredOverload
  public func perform(inModes modes: [RunLoop.Mode], _ closure: @escaping () -> Void) -> RunLoopTask { fatalError() }

  @available(*, unavailable, message: "Import RunLoopVirtualTime or RunLoopTesting, which are products of this package")
  public func advance(by duration: Duration, mode: RunLoop.Mode = .default) -> Bool { fatalError() }

  @available(*, unavailable, message: "Import RunLoopTracing, which is a product of this package")
  public func trace(name: String? = nil, capacity: Int = 0) -> Any { fatalError() }

  @available(*, unavailable, message: "Import RunLoopTracing, which is a product of this package")
  public func reportHangs(over limit: Duration = .zero, _: @escaping @Sendable (Any) -> Void) -> Any { fatalError() }

  @available(*, unavailable, message: "The queue cancels: write `taskQueue.cancelTask(coalescedBy:)`")
  public func cancelTask(coalescedBy key: some Hashable & Sendable) { fatalError() }
}

extension RunLoopTaskQueue {
  @available(*, unavailable, message: "Write `queue.perform { RunLoop.current.runTask(coalescedBy:) }`")
  public func runTask(coalescedBy key: some Hashable) -> Bool { fatalError() }
}

// The same calls with what they don't take.

@available(*, unavailable, message: "A key is `Hashable`: write `coalescedBy: OwnerKey(self)` for an object")
extension MainActor {
  @_disfavoredOverload @discardableResult
  public static func perform(
    when: RunLoopTask.Timing = .idle, after: Duration = .zero, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy owner: AnyObject, atMostEvery: Duration = .zero,
    _: @escaping @MainActor () -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "A key is `Hashable`: write `coalescedBy: OwnerKey(self)` for an object")
extension RunLoop {
  @_disfavoredOverload @discardableResult
  public func perform(
    when: RunLoopTask.Timing = .idle, after: Duration = .zero, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy owner: AnyObject, atMostEvery: Duration = .zero,
    _: @escaping () -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "A key is `Hashable`: write `coalescedBy: OwnerKey(self)` for an object")
extension RunLoopTaskQueue {
  @_disfavoredOverload @discardableResult
  public func perform(
    when: RunLoopTask.Timing = .idle, after: Duration = .zero, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy owner: AnyObject, atMostEvery: Duration = .zero,
    _: @escaping @Sendable () -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "The closure can neither throw nor await: catch errors in it, or start a `Task`")
extension MainActor {
  @_disfavoredOverload @discardableResult
  public static func perform(
    when: RunLoopTask.Timing = .idle, after: Duration = .zero, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: (any Hashable & Sendable)? = nil, atMostEvery: Duration = .zero,
    _: @escaping @MainActor () async throws -> Void
  ) -> RunLoopTask { fatalError() }
}

/// For `forModes: .default`, where an array belongs.
@available(*, unavailable, message: "Modes are an array, as in `[.default]` and `[.common]`")
extension [RunLoop.Mode] {
  public static var `default`: Self { fatalError() }
  public static var common: Self { fatalError() }
}
