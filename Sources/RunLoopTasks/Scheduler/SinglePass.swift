import CoreFoundation
import Foundation

/// One turn of a run.
///
/// A run with a time limit may sleep after it has served one event. A run with a limit of zero skips `beforeWaiting`
/// and `afterWaiting`. This run therefore has no limit. A signalled source makes it poll for a few rounds, and an
/// observer stops it when it is about to sleep.
final class SinglePass {
  private static let maxRounds = roundsForDueTimer + 5
  /// A limit so long that CoreFoundation treats it as none and arms no timer.
  private static let noLimit: CFTimeInterval = 1e10

  private let mode: RunLoop.Mode
  private let cfMode: CFMode
  private let loop: CFRunLoop
  private let source = LoopSource()
  /// The depth of the runs of the mode. The run of this pass has depth 1.
  private var depth = 0
  private var rounds = 0
  /// The sources that have delivered a batch.
  private var served: Set<ObjectIdentifier> = []
  /// Whether a nested run was entered with the source in its mode, and has not checked since whether the mode is empty.
  private var hasEmptiedNestedRun = false
  /// Whether the pass has reached `beforeWaiting`, at which it stops.
  private var isEnding = false

  init(_ mode: RunLoop.Mode) {
    (self.mode, cfMode) = (mode, mode.cfMode)
    loop = CFRunLoopGetCurrent()
  }

  func run() {
    let first = LoopObserver([.entry, .beforeWaiting], order: .min) { [unowned self] in noteFirst($0) }
    let last = LoopObserver([.beforeTimers, .beforeWaiting, .exit], order: .max) { [unowned self] in noteLast($0) }
    for observer in [first, last] { CFRunLoopAddObserver(loop, observer.cf, cfMode) }
    CFRunLoopAddSource(loop, source.cf, cfMode)
    CFRunLoopRunInMode(cfMode, Self.noLimit, false)
    source.invalidate()
    for observer in [first, last] { observer.invalidate() }
  }

  // The source keeps this pass alive, but must not keep a nested run alive.

  private func noteFirst(_ activity: RunLoop.Activity) {
    if activity == .entry {
      depth += 1
      guard depth == 2, !isEnding else { return }
      CFRunLoopRemoveSource(loop, source.cf, cfMode)
      hasEmptiedNestedRun = true
    } else if depth == 1 {
      isEnding = true
      CFRunLoopRemoveSource(loop, source.cf, cfMode)
    }
  }

  private func noteLast(_ activity: RunLoop.Activity) {
    switch activity {
    case .exit:
      depth -= 1
      if depth == 1, !isEnding { CFRunLoopAddSource(loop, source.cf, cfMode) }
    case .beforeWaiting where depth == 2 && hasEmptiedNestedRun:
      hasEmptiedNestedRun = false
      CFRunLoopWakeUp(loop)  // a run checks for an empty mode only after it has slept
    case _ where depth != 1: break
    case .beforeWaiting: CFRunLoopStop(loop)  // which wakes it as well
    default:
      rounds += 1
      // Each round serves only one port, so an old wake-up may delay a timer to a later round.
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

  /// Whether a source may deliver a batch. In this pass it may do so once, because the rounds are one turn.
  func mayDeliver(_ source: AnyObject) -> Bool {
    guard depth == 1, RunLoop.current.currentMode == mode else { return true }  // a nested run
    return served.insert(ObjectIdentifier(source)).inserted
  }

  private var isTimerDue: Bool {
    let date = CFRunLoopGetNextTimerFireDate(loop, cfMode)
    return date != 0 && date <= CFAbsoluteTimeGetCurrent()
  }
}
