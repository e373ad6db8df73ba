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

@available(*, unavailable, renamed: "coalesced(by:)")
extension RunLoopTask {
  public func coalesce(by key: some Hashable & Sendable) -> RunLoopTask { fatalError() }
  public func coalescedBy(_ key: some Hashable & Sendable) -> RunLoopTask { fatalError() }
  public func coalescing(by key: some Hashable & Sendable) -> RunLoopTask { fatalError() }
  public func key(_ key: some Hashable & Sendable) -> RunLoopTask { fatalError() }
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

  @available(*, unavailable, message: "A key is `Hashable`: write `.coalesced(by: OwnerKey(self))` for an object")
  public func coalesced(by owner: AnyObject, atMostEvery interval: Duration = .zero) -> RunLoopTask { fatalError() }

  @available(*, unavailable, renamed: "runNow()")
  public func fire() -> Bool { fatalError() }
}
