// Calls with a label, a key, a delay or a closure that they don't take, and calls of another type or product. The compiler
// refuses them with the words to write instead, and the reference shows none of them: see UnavailableNames.swift.
//
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

@available(*, unavailable, renamed: "perform(when:_:)")
extension RunLoop {
  public func perform(at: RunLoopTask.Timing, _: @escaping () -> Void) { fatalError() }

  @discardableResult
  public func perform(
    _: RunLoopTask.Timing, after: Duration = .zero, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: (any Hashable)? = nil, atMostEvery: Duration = .zero,
    _: @escaping () -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, renamed: "perform(when:_:)")
extension RunLoopTaskQueue {
  public func perform(at: RunLoopTask.Timing, _: @escaping @Sendable () -> Void) { fatalError() }

  @discardableResult
  public func perform(
    _: RunLoopTask.Timing, after: Duration = .zero, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: (any Hashable & Sendable)? = nil, atMostEvery: Duration = .zero,
    _: @escaping @Sendable () -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, renamed: "perform(when:_:)")
extension MainActor {
  public static func perform(at: RunLoopTask.Timing, _: @escaping @MainActor () -> Void) { fatalError() }

  @discardableResult
  public static func perform(
    _: RunLoopTask.Timing, after: Duration = .zero, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: (any Hashable & Sendable)? = nil, atMostEvery: Duration = .zero,
    _: @escaping @MainActor () -> Void
  ) -> RunLoopTask { fatalError() }
}

extension RunLoopThread {
  @available(*, unavailable, message: "The thread's queue performs: write `thread.taskQueue.perform(when:)`")
  @discardableResult
  public func perform(
    when: RunLoopTask.Timing = .idle, after: Duration = .zero, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: (any Hashable & Sendable)? = nil, atMostEvery: Duration = .zero,
    _: @escaping @Sendable () -> Void
  ) -> RunLoopTask { fatalError() }

  @available(*, unavailable, message: "The thread's queue runs it: write `try await thread.taskQueue.run { … }`")
  public func run<Value>(_: @escaping @Sendable () throws -> Value) async throws -> Value { fatalError() }

  @available(*, unavailable, message: "The thread's queue runs it: write `thread.taskQueue.performAndWait { … }`")
  public func performAndWait<Value>(_: @escaping @Sendable () throws -> Value) throws -> Value { fatalError() }
}

extension RunLoopTaskQueue {
  @available(*, unavailable, renamed: "perform(_:)")
  public func async(_: @escaping @Sendable () -> Void) { fatalError() }

  @available(*, unavailable, renamed: "performAndWait(_:)")
  public func sync<Value>(_: @escaping @Sendable () throws -> Value) rethrows -> Value { fatalError() }

  @available(*, unavailable, message: "Write `perform(after: .seconds(1))`")
  public func asyncAfter(deadline: DispatchTime, _: @escaping @Sendable () -> Void) { fatalError() }
}

extension RunLoop {
  @available(*, unavailable, message: "The closure can neither throw nor await: catch errors in it, or start a `Task`")
  @_disfavoredOverload
  public func perform(_ closure: @escaping () async throws -> Void) -> RunLoopTask { fatalError() }

  @available(*, unavailable, message: "Import RunLoopVirtualTime or RunLoopTesting, which are products of this package")
  public func advance(by duration: Duration, mode: RunLoop.Mode = .default) -> Bool { fatalError() }

  @available(*, unavailable, message: "Import RunLoopTracing, which is a product of this package")
  public func trace(name: String? = nil, capacity: Int = 0) -> Any { fatalError() }

  @available(*, unavailable, message: "Import RunLoopTracing, which is a product of this package")
  public func reportHangs(over limit: Duration = .zero, _: @escaping @Sendable (Any) -> Void) -> Any { fatalError() }

  @available(*, unavailable, message: "The queue cancels: write `taskQueue.cancelTask(coalescedBy:)`")
  public func cancelTask(coalescedBy key: some Hashable & Sendable) { fatalError() }

  @available(*, unavailable, message: "The queue cancels: write `taskQueue.cancelAll()`")
  public func cancelAll() { fatalError() }
}

extension MainActor {
  @available(*, unavailable, message: "Write `RunLoopTaskQueue.main.cancelTask(coalescedBy:)`")
  public static func cancelTask(coalescedBy key: some Hashable & Sendable) { fatalError() }

  @available(*, unavailable, message: "On the main thread, write `RunLoop.main.runTask(coalescedBy:)`")
  public static func runTask(coalescedBy key: some Hashable) -> Bool { fatalError() }
}

extension RunLoopTaskQueue {
  @available(*, unavailable, message: "Write `queue.perform { RunLoop.current.runTask(coalescedBy:) }`")
  public func runTask(coalescedBy key: some Hashable) -> Bool { fatalError() }

  @available(*, unavailable, message: "Write `queue.perform { RunLoop.current.runAllTasks() }`")
  public func runAllTasks() -> Int { fatalError() }
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

@available(*, unavailable, message: "The closure can neither throw nor await: catch errors in it, or start a `Task`")
extension RunLoopTaskQueue {
  @_disfavoredOverload @discardableResult
  public func perform(
    when: RunLoopTask.Timing = .idle, after: Duration = .zero, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: (any Hashable & Sendable)? = nil, atMostEvery: Duration = .zero,
    _: @escaping @Sendable () async throws -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "The closure can't await: await what it needs first, or start a `Task` in it")
extension RunLoopTaskQueue {
  @_disfavoredOverload
  public func run<Value>(
    when: RunLoopTask.Timing = .idle, _: @escaping @Sendable () async throws -> Value
  ) async throws -> Value { fatalError() }
}

@available(*, unavailable, message: "The closure can't await: await what it needs first, or start a `Task` in it")
extension MainActor {
  @_disfavoredOverload
  public static func run<Value>(
    when: RunLoopTask.Timing, _: @escaping @MainActor () async throws -> Value
  ) async throws -> Value { fatalError() }
}

@available(*, unavailable, message: "A delay is a `Duration`: write `after: .milliseconds(300)`")
extension RunLoop {
  @discardableResult
  public func perform(
    when: RunLoopTask.Timing = .idle, after: DispatchTime, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: (any Hashable)? = nil, atMostEvery: Duration = .zero,
    _: @escaping () -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "A delay is a `Duration`: write `after: .milliseconds(300)`")
extension RunLoopTaskQueue {
  @discardableResult
  public func perform(
    when: RunLoopTask.Timing = .idle, after: DispatchTime, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: (any Hashable & Sendable)? = nil, atMostEvery: Duration = .zero,
    _: @escaping @Sendable () -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "A delay is a `Duration`: write `after: .milliseconds(300)`")
extension MainActor {
  @discardableResult
  public static func perform(
    when: RunLoopTask.Timing = .idle, after: DispatchTime, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: (any Hashable & Sendable)? = nil, atMostEvery: Duration = .zero,
    _: @escaping @MainActor () -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "A delay is a `Duration`: write `after: .milliseconds(300)`")
extension MainActor {
  @discardableResult
  public static func perform(
    when: RunLoopTask.Timing = .idle, after: Double, coalescedBy: (any Hashable & Sendable)? = nil,
    _: @escaping @MainActor () -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "A delay is `after:`, and a limit `within:`")
extension MainActor {
  @discardableResult
  public static func perform(
    when: RunLoopTask.Timing = .idle, delay: Duration, coalescedBy: (any Hashable & Sendable)? = nil,
    _: @escaping @MainActor () -> Void
  ) -> RunLoopTask { fatalError() }

  @discardableResult
  public static func perform(
    when: RunLoopTask.Timing = .idle, timeout: Duration, coalescedBy: (any Hashable & Sendable)? = nil,
    _: @escaping @MainActor () -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "A key is `coalescedBy:`, and an interval `atMostEvery:`, behind a key")
extension MainActor {
  @discardableResult
  public static func perform(
    when: RunLoopTask.Timing = .idle, key: some Hashable, coalescedBy: (any Hashable & Sendable)? = nil,
    _: @escaping @MainActor () -> Void
  ) -> RunLoopTask { fatalError() }

  @discardableResult
  public static func perform(
    when: RunLoopTask.Timing = .idle, every: Duration, coalescedBy: (any Hashable & Sendable)? = nil,
    _: @escaping @MainActor () -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(*, unavailable, message: "Write `perform(when:forModes:)`, or chain `.forModes(_:)`")
extension RunLoop {
  @_disfavoredOverload
  public func perform(inModes: [RunLoop.Mode], _: @escaping () -> Void) -> RunLoopTask { fatalError() }
  public func perform(forMode: RunLoop.Mode, _: @escaping () -> Void) { fatalError() }
  public func perform(mode: RunLoop.Mode, _: @escaping () -> Void) { fatalError() }
}

/// For `forModes: .default`, where an array belongs.
@available(*, unavailable, message: "Modes are an array, as in `[.default]` and `[.common]`")
extension [RunLoop.Mode] {
  public static var `default`: Self { fatalError() }
  public static var common: Self { fatalError() }
}
