import Foundation
import RunLoopTasks
import Testing

/// Timers that are due now, and timers that are cancelled when they are due.
///
/// On Apple's platforms a kernel thread sends a message for a due timer. The message may arrive late, and also after
/// the timer was cancelled.
@Suite(.onOwnLoop) struct TimerMessageTests {
  @Test func eachOfAThousandPassesServesATimerThatIsDueNow() {
    let served = Counter()
    for number in 1...1_000 {
      RunLoop.current.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in served.count() }, forMode: .default)
      RunLoop.current.runPass()
      guard served.value == number else { break }
    }
    #expect(served.value == 1_000)
  }

  /// The task is cancelled after the engine has arranged a wake-up for it.
  @Test func aTaskCancelledBeforeTheSleepCostsFewPasses() {
    for _ in 1...20 {
      let passes = passesOfARun {
        let once = Counter()
        observe(.beforeWaiting, order: Order.app) { _ in
          guard once.count() == 1 else { return }
          let task = RunLoop.current.taskQueue.perform {}
          observe(.beforeWaiting, order: Order.last) { _ in task.cancel() }
        }
      }
      #expect(passes <= 3 + passesOfACancelledTimer)  // A loop that does not sleep makes thousands.
    }
  }

  @Test func aTimerInvalidatedBeforeTheRunCostsOnePass() {
    for _ in 1...20 {
      let passes = passesOfARun {
        let timer = Timer(fire: Date(), interval: 0, repeats: false) { _ in }
        RunLoop.current.add(timer, forMode: .default)
        timer.invalidate()
      }
      #expect(passes <= 2)  // One of them sleeps.
    }
  }

  /// The number of times a run goes to sleep before a timer ends it.
  private func passesOfARun(_ prepare: @escaping @Sendable () -> Void) -> Int {
    onLoopThread {
      let keepAlive = ModeHolder()
      var passes = 0
      prepare()
      observe(.beforeWaiting) { _ in passes += 1 }
      let stop = Timer(fire: Date(timeIntervalSinceNow: 0.01), interval: 0.01, repeats: true) { _ in stopRun() }
      RunLoop.current.add(stop, forMode: .default)
      run()
      stop.invalidate()
      withExtendedLifetime(keepAlive) {}
      return passes
    }
  }
}
