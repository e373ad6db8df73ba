import CoreFoundation
import Foundation
import RunLoopTasks

/// Finds out whether a pass of the main loop has served blocks of the main queue.
///
/// There is no direct API for this. But a loop that has served the queue in one round does not look at it in the next
/// one before it goes to sleep. A marker block, added to the queue in a round that may sleep, therefore tells about the
/// round before:
///
///     round 1: a block is served   round 2: + marker, which is left, and the loop goes to sleep
///     round 1: nothing is ready    round 2: + marker, which is served        round 3: it goes to sleep
///     round 1: a timer is served   round 2: + marker, served behind blocks   round 3: it goes to sleep
///
/// The last two look the same. A pass in which a timer has fired therefore counts as one that may have served blocks,
/// unless one had fired in the pass before: some timers fire in each pass.
///
/// If a pass begins with a marker in the queue, blocks may be behind it, and only the next pass can tell. If that pass
/// does not serve the marker either, the loop does not serve the queue, because the caller is itself a block of it.
final class MainQueueMarker: @unchecked Sendable {
  // Unchecked, because the passes of the main loop and the blocks that they serve are on the main thread.

  private let mode: CFMode
  private let modeWithoutMainQueue = RunLoop.Mode("RunLoopVirtualTime.oldEvents").cfMode
  private var isInQueue = false
  /// It was in the queue when the pass began.
  private var wasInQueue = false
  private var wasAdded = false
  /// When the pass began.
  private var firstTimer: CFAbsoluteTime = 0
  /// A timer fired in the latest pass that is over.
  private var timerHasFired = false
  /// The latest pass may have served blocks, so that there may be more.
  private(set) var mayHaveServedBlocks = false

  /// Called when the marker that is in the queue is served.
  var whenServed: (() -> Void)?

  /// - Parameter mode: that of the passes.
  init(_ mode: RunLoop.Mode) { self.mode = mode.cfMode }

  /// The latest pass has not served the main queue, because the caller is a block of it.
  var isStuck: Bool { wasInQueue && isInQueue }

  func beginPass() {
    removeOldEvents()
    firstTimer = nextTimer
    (wasInQueue, wasAdded, mayHaveServedBlocks) = (isInQueue, false, false)
  }

  /// Notes what the loop does in the pass: a `PassWatch`.
  func note(_ activity: RunLoop.Activity) {
    if activity == .beforeWaiting { noteSleep() } else { add() }
  }

  /// Adds the marker, once in a pass and unless it is in the queue.
  private func add() {
    guard !wasInQueue, !wasAdded else { return }
    (isInQueue, wasAdded) = (true, true)
    DispatchQueue.main.async { [self] in
      isInQueue = false
      whenServed?()
    }
  }

  private func noteSleep() {
    let timerHasFired = firstTimer != 0 && firstTimer <= CFAbsoluteTimeGetCurrent() && firstTimer != nextTimer
    mayHaveServedBlocks = isInQueue != wasInQueue || timerHasFired && !self.timerHasFired
    self.timerHasFired = timerHasFired
  }

  /// The date of the first timer of the mode; zero for no timer.
  private var nextTimer: CFAbsoluteTime { CFRunLoopGetNextTimerFireDate(CFRunLoopGetMain(), mode) }

  /// Removes what the first round might serve instead of the main queue: an old wake-up, and the message that on Linux
  /// a removed timer leaves until another one is armed. A run of a mode that is no common mode does not serve that
  /// queue.
  private func removeOldEvents() {
    let loop = CFRunLoopGetMain()
    let timer = CFRunLoopTimerCreate(kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 1e10, 0, 0, 0, nil, nil)
    CFRunLoopAddTimer(loop, timer, mode)
    CFRunLoopAddTimer(loop, timer, modeWithoutMainQueue)  // without it, the mode would be empty, and not be run
    CFRunLoopRunInMode(modeWithoutMainQueue, 0, false)
    CFRunLoopTimerInvalidate(timer)
  }
}
