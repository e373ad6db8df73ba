import CoreFoundation
import Foundation

/// One pass of a run.
///
/// A run with a time limit may sleep after it has served one event. A run with a limit of zero skips `beforeWaiting`
/// and `afterWaiting`. This run therefore has no limit. A signalled source makes it poll for a few rounds, and an
/// observer stops it when it is about to sleep.
final class SinglePass {
  private static let maxRounds = roundsForDueTimer + 100

  private let mode: RunLoop.Mode
  /// For a pass of the main loop that has to find blocks of the main queue.
  private let mainQueue: MainQueueMarker?
  /// The date of the first timer when a pass of the main loop began; zero for no timer.
  private var firstTimer: CFAbsoluteTime = 0
  private var rounds = 0

  private lazy var run = DrivenRun(mode, at: [.beforeTimers, .beforeWaiting]) {
    [unowned self] activity in
    guard activity == .beforeWaiting else { return beginRound() }
    mainQueue?.noteSleep(timerHasFired: firstTimerHasFired)
    return true  // stopping also wakes the loop, so `afterWaiting` follows
  }

  init(_ mode: RunLoop.Mode, _ mainQueue: MainQueueMarker?) {
    (self.mode, self.mainQueue) = (mode, mainQueue)
    guard let mainQueue else { return }
    removeOldEvents()
    firstTimer = nextTimer
    mainQueue.beginPass()
  }

  func make() { run.run() }

  /// Begins a round. Each round serves only one port, so an old wake-up may delay a timer to a later round.
  ///
  /// - Returns: whether the run must stop, after too many rounds.
  private func beginRound() -> Bool {
    rounds += 1
    if rounds == 1 {
      run.poll()
    } else if rounds <= roundsForDueTimer, isDue(nextTimer) {
      waitForDueTimer()
      run.poll()
    } else {
      mainQueue?.add()
    }
    return rounds > Self.maxRounds
  }

  /// Removes what the first round might serve instead of the main queue: an old wake-up, and the message that on Linux
  /// a removed timer leaves until another one is armed. A run of a mode that is no common mode does not serve that
  /// queue.
  private func removeOldEvents() {
    DrivenRun(RunLoop.Mode("RunLoopTasks.oldEvents"), at: []) { _ in false }.run(0)
    let date = CFAbsoluteTimeGetCurrent() + DrivenRun.noLimit
    let timer = CFRunLoopTimerCreate(kCFAllocatorDefault, date, 0, 0, 0, nil, nil)
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, mode.cfMode)
    CFRunLoopTimerInvalidate(timer)
  }

  /// The first timer was due, and is no longer the next one.
  private var firstTimerHasFired: Bool { isDue(firstTimer) && firstTimer != nextTimer }

  private var nextTimer: CFAbsoluteTime { CFRunLoopGetNextTimerFireDate(CFRunLoopGetCurrent(), mode.cfMode) }

  private func isDue(_ date: CFAbsoluteTime) -> Bool { date != 0 && date <= CFAbsoluteTimeGetCurrent() }
}
