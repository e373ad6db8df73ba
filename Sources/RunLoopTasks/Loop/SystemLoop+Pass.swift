import CoreFoundation
import Foundation

// One pass of a run.
//
// A run with a time limit may sleep after it has served one event. A run with a limit of zero skips `beforeWaiting`
// and `afterWaiting`. This run therefore has no limit. A signalled source makes it poll for a few rounds, and an
// observer stops it when it is about to sleep.
extension SystemLoop {
  /// For timers and sources that are always ready: see `RunPassTests.aPassEndsAlthoughASourceAlwaysSignalsItself`. Those
  /// that are ready a few times need as many rounds: see `RunPassTests.aPassServesASourceUntilItIsNoLongerSignalled`.
  private static let maxRounds = roundsForDueTimer + 100

  func runPass(in mode: RunLoop.Mode, watch: PassWatch?) {
    var rounds = 0
    let run = DrivenRun(mode, at: [.beforeTimers, .beforeWaiting]) { [unowned self] run, activity in
      if activity == .beforeWaiting {
        watch?(activity)
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
        watch?(activity)
      }
      return rounds > Self.maxRounds
    }
    run.run()
  }

  /// The date of the first timer of a mode; zero for no timer.
  func nextTimer(in mode: RunLoop.Mode) -> CFAbsoluteTime { CFRunLoopGetNextTimerFireDate(cf, mode.cfMode) }

  private func isDue(_ date: CFAbsoluteTime) -> Bool { date != 0 && date <= CFAbsoluteTimeGetCurrent() }
}
