import CoreFoundation
import Foundation

/// One turn of a run.
///
/// A run with a limit serves one thing that is ready and may then sleep; one without time only polls, and passes through
/// neither `beforeWaiting` nor `afterWaiting`. So this one has no limit: it is made to poll for some rounds, by a source that is
/// signalled, and stopped when it would sleep.
final class SinglePass {
  private static let maxRounds = roundsForDueTimer + 5
  /// A limit so far away that it is none, and needs no timer.
  private static let noLimit: CFTimeInterval = 1e10

  private let mode: CFMode
  private let loop: CFRunLoop
  private let source = LoopSource()
  /// How deep in nested runs of the mode the loop is; 1 is the run of this pass.
  private var depth = 0
  private var rounds = 0
  /// Whether a run that is nested in it was entered with the source, and has not looked since whether its mode is empty.
  private var hasEmptiedNestedRun = false
  /// Whether it has come to waiting, after which it is stopped.
  private var isEnding = false

  init(_ mode: CFMode) {
    self.mode = mode
    loop = CFRunLoopGetCurrent()
  }

  func run() {
    let first = LoopObserver([.entry, .beforeWaiting], order: .min) { [unowned self] in hearFirst($0) }
    let last = LoopObserver([.beforeTimers, .beforeWaiting, .exit], order: .max) { [unowned self] in hearLast($0) }
    for observer in [first, last] { CFRunLoopAddObserver(loop, observer.cf, mode) }
    CFRunLoopAddSource(loop, source.cf, mode)
    CFRunLoopRunInMode(mode, Self.noLimit, false)
    source.invalidate()
    for observer in [first, last] { observer.invalidate() }
  }

  // The source is to keep this pass alive, and no run that is nested in it.

  private func hearFirst(_ activity: RunLoop.Activity) {
    if activity == .entry {
      depth += 1
      guard depth == 2, !isEnding else { return }
      CFRunLoopRemoveSource(loop, source.cf, mode)
      hasEmptiedNestedRun = true
    } else if depth == 1 {
      isEnding = true
      CFRunLoopRemoveSource(loop, source.cf, mode)
    }
  }

  private func hearLast(_ activity: RunLoop.Activity) {
    switch activity {
    case .exit:
      depth -= 1
      if depth == 1, !isEnding { CFRunLoopAddSource(loop, source.cf, mode) }
    case .beforeWaiting where depth == 2 && hasEmptiedNestedRun:
      hasEmptiedNestedRun = false
      CFRunLoopWakeUp(loop)  // a run looks for an empty mode only after it has slept
    case _ where depth != 1: break
    case .beforeWaiting: CFRunLoopStop(loop)  // which wakes it as well
    default:
      rounds += 1
      // A timer may be behind a left-over wake-up, because a round serves only one port.
      if rounds == 1 {
        source.signal()
      } else if rounds <= roundsForDueTimer, isTimerDue {
        waitForDueTimer()
        source.signal()
      } else if rounds > Self.maxRounds {
        CFRunLoopStop(loop)
      }
    }
  }

  private var isTimerDue: Bool {
    let date = CFRunLoopGetNextTimerFireDate(loop, mode)
    return date != 0 && date <= CFAbsoluteTimeGetCurrent()
  }
}
