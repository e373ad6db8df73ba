// Calls with a label, a key, a delay or a closure that they don't take, and calls of another type or product. The compiler
// refuses them with the words to write instead, and the reference shows none of them: see UnavailableNames.swift.
//
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// MARK: Labels

@available(*, unavailable, renamed: "perform(when:_:)")
extension RunLoop {
  public func perform(at: RunLoopTask.Timing, _: @escaping () -> Void) { fatalError() }
  public func perform(_: RunLoopTask.Timing, _: @escaping () -> Void) { fatalError() }
}

@available(*, unavailable, renamed: "perform(when:_:)")
extension RunLoopTaskQueue {
  public func perform(at: RunLoopTask.Timing, _: @escaping @Sendable () -> Void) { fatalError() }
  public func perform(_: RunLoopTask.Timing, _: @escaping @Sendable () -> Void) { fatalError() }
}

@available(*, unavailable, renamed: "perform(when:_:)")
extension MainActor {
  public static func perform(at: RunLoopTask.Timing, _: @escaping @MainActor () -> Void) { fatalError() }
  public static func perform(_: RunLoopTask.Timing, _: @escaping @MainActor () -> Void) { fatalError() }
}

// MARK: Arguments

@available(
  *, unavailable,
  message: "A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await"
)
extension MainActor {
  @_disfavoredOverload @discardableResult
  public static func perform(
    when: RunLoopTask.Timing = .idle, after: Duration = .zero, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: Any? = nil, atMostEvery: Duration = .zero,
    _: @escaping @MainActor () async throws -> Void
  ) -> RunLoopTask { fatalError() }

  @_disfavoredOverload @discardableResult
  public static func perform(
    when: RunLoopTask.Timing = .idle, after: DispatchTime, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: Any? = nil, atMostEvery: Duration = .zero,
    _: @escaping @MainActor () async throws -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(
  *, unavailable,
  message: "A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await"
)
extension RunLoop {
  @_disfavoredOverload @discardableResult
  public func perform(
    when: RunLoopTask.Timing = .idle, after: Duration = .zero, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: Any? = nil, atMostEvery: Duration = .zero,
    _: @escaping () async throws -> Void
  ) -> RunLoopTask { fatalError() }
}

@available(
  *, unavailable,
  message: "A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await"
)
extension RunLoopTaskQueue {
  @_disfavoredOverload @discardableResult
  public func perform(
    when: RunLoopTask.Timing = .idle, after: Duration = .zero, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: Any? = nil, atMostEvery: Duration = .zero,
    _: @escaping @Sendable () async throws -> Void
  ) -> RunLoopTask { fatalError() }

  @_disfavoredOverload @discardableResult
  public func perform(
    when: RunLoopTask.Timing = .idle, after: DispatchTime, within: Duration? = nil, order: Int = 0,
    forModes: [RunLoop.Mode] = [], coalescedBy: Any? = nil, atMostEvery: Duration = .zero,
    _: @escaping @Sendable () async throws -> Void
  ) -> RunLoopTask { fatalError() }
}

/// For `forModes: .default`, where an array belongs.
@available(*, unavailable, message: "Modes are an array, as in `[.default]` and `[.common]`")
extension [RunLoop.Mode] {
  public static var `default`: Self { fatalError() }
  public static var common: Self { fatalError() }
}

// MARK: Other types and products

extension RunLoopThread {
  @available(*, unavailable, message: "The thread's queue performs: write `thread.taskQueue.perform(when:)`")
  public func perform(
    when: RunLoopTask.Timing = .idle, after: Duration = .zero, coalescedBy: Any? = nil, _: @escaping () -> Void
  ) { fatalError() }
}

extension RunLoop {
  @available(*, unavailable, message: "The queue cancels: write `taskQueue.cancelTask(coalescedBy:)`")
  public func cancelTask(coalescedBy key: some Hashable & Sendable) { fatalError() }

  @available(*, unavailable, message: "Import RunLoopVirtualTime or RunLoopTesting, which are products of this package")
  public func advance(by duration: Duration, mode: RunLoop.Mode = .default) -> Bool { fatalError() }
}

@available(*, unavailable, message: "Import RunLoopTracing, which is a product of this package")
extension RunLoop {
  public func trace(name: String? = nil, capacity: Int = 0) -> Any { fatalError() }
  public func reportHangs(over limit: Duration = .zero, _: @escaping @Sendable (Any) -> Void) -> Any { fatalError() }
}

extension RunLoopTaskQueue {
  @available(*, unavailable, message: "Write `queue.perform { RunLoop.current.runTask(coalescedBy:) }`")
  public func runTask(coalescedBy key: some Hashable) -> Bool { fatalError() }
}
