import CoreFoundation
import Foundation

@testable import RunLoopTasks

// How the loop is run. No run has a reason to sleep: what there is to do is due at once, and when nothing is left, either the
// mode is empty and the run returns by itself, or something keeps it alive and it is stopped.
extension Execution {
  private static let maxDepth = 3

  /// A call that runs the loop.
  struct Call {
    let kind: RunKind
    /// Whether the loop is to look again at what the script has added or taken away. The package cannot know of it, and
    /// CoreFoundation does not look before it sleeps.
    var needsWakeUp = false
  }

  func runToTheEnd() {
    for _ in 1...20 {
      for mode in Self.modes { run(.blocking, mode, isKeptAlive: false) }
      if Self.modes.allSatisfy({ model.pending(in: $0).isEmpty }) { break }
    }
    record(.finished)
  }

  func run(_ kind: RunKind, _ mode: RunLoop.Mode, isKeptAlive: Bool) {
    guard calls.count < Self.maxDepth, complaint == nil else { return }
    guard isKeptAlive else { return run(kind, mode) }
    let keepAlive = ModeHolder(mode)
    keptAlive[mode, default: 0] += 1
    run(kind, mode)
    keptAlive[mode]! -= 1
    withExtendedLifetime(keepAlive) {}
    needWakeUp()
  }

  private func run(_ kind: RunKind, _ mode: RunLoop.Mode) {
    calls.append(Call(kind: kind))
    record(.runCalled(kind, mode))
    var value: Bool?
    switch kind {
    case .poll: poll(mode)
    case .pass: value = RunLoop.current.runPass(mode: mode)
    case .blocking: RunLoopTasksTests.run(mode)
    case .untilSource: _ = RunLoop.current.run(mode: mode, before: .distantFuture)
    case .untilTasksFinish: value = RunLoop.current.runUntilTasksFinish(mode: mode)
    }
    record(.runReturned(value))
    calls.removeLast()
    look()
  }

  func needWakeUp() {
    for index in calls.indices { calls[index].needsWakeUp = true }
  }

  /// The innermost looks by itself, because it has just served something.
  func outerRunsNeedWakeUp() {
    for index in calls.indices.dropLast() { calls[index].needsWakeUp = true }
  }

  /// Sees to it that the loop does not sleep on what only the script knows of.
  func beforeSleep(in mode: RunLoop.Mode) {
    guard let call = calls.last, call.kind.blocks else { return }
    let isNested = calls.count > 1
    // It may be that a timer has already woken an outer run, and fires when that goes on.
    let hasTimer = timersLeft[mode, default: 0] > 0
    // The package may have read all mail, whether it had to or not.
    let hasTasks = !model.withMailRead().pending(in: mode).isEmpty
    let hasWork = hasTasks || sourcesLeft[mode, default: 0] > 0 || hasTimer && !isNested
    let isKeptAlive = keptAlive[mode, default: 0] > 0 || hasTimer
    if complaint != nil || isKeptAlive && !hasWork {
      stop()
    } else if call.needsWakeUp {
      calls[calls.count - 1].needsWakeUp = false
      CFRunLoopWakeUp(CFRunLoopGetCurrent())
    }
  }

  func stop() {
    record(.stopped)
    CFRunLoopStop(CFRunLoopGetCurrent())
  }
}
