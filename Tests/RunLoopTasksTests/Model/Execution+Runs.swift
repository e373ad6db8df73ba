import CoreFoundation
import Foundation
import RunLoopVirtualTime

@testable import RunLoopTasks

// How the loop is run. No run has a reason to sleep: what there is to do is due at once, and when nothing is left,
// either the mode is empty and the run returns by itself, or something keeps it alive and it is stopped. Tasks that
// wait for their time keep it alive, too.
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
      if jobThread == nil { for mode in Self.modes { run(.advance(6), mode, isKeptAlive: false) } }
      if model.waitingJobs.isEmpty, Self.modes.allSatisfy({ model.pending(in: $0).isEmpty }) { break }
    }
    record(.finished)
  }

  func run(_ kind: RunKind, _ mode: RunLoop.Mode, isKeptAlive: Bool) {
    guard calls.count < Self.maxDepth, complaint == nil else { return }
    // In a nested run that sleeps the clock runs on, so it would depend on the machine's speed what ends in the advance
    // around it. An advance in another one is tested elsewhere.
    let mayLetTimePass = kind.isAdvance || [.blocking, .untilSource, .until, .untilTasksFinish].contains(kind)
    guard !mayLetTimePass || !calls.contains(where: \.kind.isAdvance) else { return }
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
    if kind == .until { keptAlive[mode, default: 0] += 1 }
    record(.runCalled(kind, mode))
    var value: Bool?
    switch kind {
    case .poll: poll(mode)
    case .pass: value = RunLoop.current.runPass(mode: mode)
    case .blocking: RunLoopTasksTests.run(mode)
    case .untilSource: _ = RunLoop.current.run(mode: mode, before: .distantFuture)
    case .until: RunLoop.current.runUntil(mode: mode) { [unowned self] in !hasWork(in: mode) }
    case .advance(let duration): value = RunLoop.current.advance(by: duration.duration, mode: mode)
    case .untilTasksFinish: RunLoop.current.runUntilTasksFinish(mode: mode)
    }
    if kind == .until { keptAlive[mode]! -= 1 }
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

  /// Whether there is something that the innermost run could do now.
  private func hasWork(in mode: RunLoop.Mode) -> Bool {
    guard complaint == nil else { return false }
    // It may be that a timer has already woken an outer run, and fires when that goes on.
    let hasTimer = timersLeft[mode, default: 0] > 0 && calls.count == 1
    // The package may have read all messages, whether it had to or not.
    return hasTimer || sourcesLeft[mode, default: 0] > 0 || model.hasReadyJobs(in: mode)
      || !model.withMessagesRead().inLine(in: mode).isEmpty
  }

  /// Sees to it that the loop does not sleep on what only the script knows of, nor until the clock is advanced.
  func beforeSleep(in mode: RunLoop.Mode) {
    guard let call = calls.last else { return }
    let hasWork = hasWork(in: mode)
    let hasPendingTasks = !model.withMessagesRead().pending(in: mode).isEmpty
    // Otherwise it would sleep until its timeout.
    if call.kind == .untilTasksFinish, !hasWork { return hasPendingTasks ? cancelAll() : stop() }
    guard call.kind.maySleep else { return }
    let isKeptAlive =
      keptAlive[mode, default: 0] > 0 || timersLeft[mode, default: 0] > 0 || hasPendingTasks
      || jobThread != nil && model.commonSince[mode] != nil
    if call.kind.sleepsForEver, complaint != nil || isKeptAlive && !hasWork {
      stop()
    } else if call.needsWakeUp {
      calls[calls.count - 1].needsWakeUp = false
      CFRunLoopWakeUp(CFRunLoopGetCurrent())
    }
  }

  private func cancelAll() {
    cancelAll(.own)
    CFRunLoopWakeUp(CFRunLoopGetCurrent())
  }

  func stop() {
    record(.stopped)
    CFRunLoopStop(CFRunLoopGetCurrent())
  }
}
