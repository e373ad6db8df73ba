import CoreFoundation
import Foundation

/// Runs the current thread's loop until a condition holds.
final class ConditionalRun {
  private let mode: CFMode
  private let loop: CFRunLoop
  /// Keeps this run alive, and no run that is nested in it.
  private let keepAlive = LoopSource()
  private let condition: () -> Bool
  /// The depth of the runs of the mode. The run of this object has depth 1.
  private var depth = 0
  private var holds = false
  /// Whether a nested run was entered with the source in its mode, and has not checked since whether the mode is empty.
  private var hasEmptiedNestedRun = false

  init(_ mode: RunLoop.Mode, _ condition: @escaping () -> Bool) {
    self.mode = mode.cfMode
    self.condition = condition
    loop = CFRunLoopGetCurrent()
  }

  /// - Returns: whether the condition holds.
  func run(_ deadline: Timeout) -> Bool {
    holds = condition()
    guard !holds else { return true }
    CFRunLoopAddSource(loop, keepAlive.cf, mode)
    let first = LoopObserver([.entry, .beforeWaiting], order: .min) { [unowned self] in noteActivity($0) }
    let last = LoopObserver(.exit, order: .max) { [unowned self] _ in noteExit() }
    // After the tasks and before the package's last check, because the condition may schedule tasks.
    let observer = LoopObserver([.beforeWaiting, .afterWaiting], order: .max - 1) { [unowned self] _ in check() }
    for observer in [first, observer, last] { CFRunLoopAddObserver(loop, observer.cf, mode) }
    repeat {
      CFRunLoopRunInMode(mode, deadline.secondsLeft, true)
      holds = holds || condition()
    } while !holds && !deadline.hasPassed
    for observer in [first, observer, last] { observer.invalidate() }
    keepAlive.invalidate()
    return holds
  }

  private func noteActivity(_ activity: RunLoop.Activity) {
    if activity == .entry {
      depth += 1
      guard depth == 2 else { return }
      CFRunLoopRemoveSource(loop, keepAlive.cf, mode)
      hasEmptiedNestedRun = true
    } else if depth == 2, hasEmptiedNestedRun {
      hasEmptiedNestedRun = false
      CFRunLoopWakeUp(loop)  // a run checks for an empty mode only after it has slept
    }
  }

  private func noteExit() {
    depth -= 1
    if depth == 1 { CFRunLoopAddSource(loop, keepAlive.cf, mode) }
  }

  private func check() {
    guard depth == 1 else { return }  // this object does not stop nested runs
    if !holds { holds = condition() }
    if holds { CFRunLoopStop(loop) }
  }
}
