import CoreFoundation
import Foundation

// One pass of a run.
//
// A run with a time limit may sleep after it has served one event. A run with a limit of zero skips `beforeWaiting`
// and `afterWaiting`. This run therefore has no limit. A signalled source makes it poll for a few rounds, and an
// observer stops it when it is about to sleep.
extension SystemLoop {
  private static let maxRounds = roundsForDueTimer + 100

  func runPass(in mode: RunLoop.Mode, finding mainQueue: MainQueueMarker?) {
    if mainQueue != nil { removeOldEvents(in: mode) }
    let firstTimer = mainQueue == nil ? 0 : nextTimer(in: mode)
    mainQueue?.beginPass()
    var rounds = 0
    let run = DrivenRun(mode, at: [.beforeTimers, .beforeWaiting]) { [unowned self] run, activity in
      if activity == .beforeWaiting {
        mainQueue?.noteSleep(timerHasFired: isDue(firstTimer) && firstTimer != nextTimer(in: mode))
        return true  // stopping also wakes the loop, so `afterWaiting` follows
      }
      // Each round serves only one port, so an old wake-up may delay a timer to a later round.
      rounds += 1
      if rounds == 1 {
        run.poll()
      } else if rounds <= roundsForDueTimer, isDue(nextTimer(in: mode)) {
        waitForDueTimer()
        run.poll()
      } else {
        mainQueue?.add()
      }
      return rounds > Self.maxRounds
    }
    run.run()
  }

  /// Removes what the first round might serve instead of the main queue: an old wake-up, and the message that on Linux
  /// a removed timer leaves until another one is armed. A run of a mode that is no common mode does not serve that
  /// queue.
  private func removeOldEvents(in mode: RunLoop.Mode) {
    DrivenRun(RunLoop.Mode("RunLoopTasks.oldEvents"), at: []) { _, _ in false }.run(0)
    let date = CFAbsoluteTimeGetCurrent() + DrivenRun.noLimit
    let timer = CFRunLoopTimerCreate(kCFAllocatorDefault, date, 0, 0, 0, nil, nil)
    CFRunLoopAddTimer(cf, timer, mode.cfMode)
    CFRunLoopTimerInvalidate(timer)
  }

  /// The date of the first timer of a mode; zero for no timer.
  func nextTimer(in mode: RunLoop.Mode) -> CFAbsoluteTime { CFRunLoopGetNextTimerFireDate(cf, mode.cfMode) }

  private func isDue(_ date: CFAbsoluteTime) -> Bool { date != 0 && date <= CFAbsoluteTimeGetCurrent() }
}
