import Foundation
import Testing

@testable import RunLoopTasks

/// Timers whose time has come just now.
///
/// On Apple's platforms the kernel sends a message for them, from a thread of its own. It may come a little late, and is not taken
/// back.
@Suite struct TimerMessageTests {
  @Test func aTimerThatIsDueNowIsServedInEachOfAThousandPasses() {
    let served = onLoopThread {
      let served = Counter()
      for number in 1...1_000 {
        RunLoop.current.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in served.count() }, forMode: .default)
        RunLoop.current.runPass()
        guard served.value == number else { break }
      }
      return served.value
    }
    #expect(served == 1_000)
  }

  /// A task that goes away after the loop was to be woken for it.
  @Test func aTaskThatIsCancelledAtTheLastMomentCostsFewPasses() {
    for _ in 1...20 {
      let passes = passesOfARun {
        let once = Counter()
        observe(.beforeWaiting, order: Order.app) { _ in
          guard once.count() == 1 else { return }
          let task = RunLoop.current.taskQueue.perform {}
          observe(.beforeWaiting, order: Order.last) { _ in task.cancel() }
        }
      }
      #expect(passes <= 3 + passesOfACancelledTimer)  // thousands, if the loop does not sleep
    }
  }

  @Test func aTimerThatIsTakenOutAtTheLastMomentCostsOnePass() {
    for _ in 1...20 {
      let passes = passesOfARun {
        let timer = Timer(fire: Date(), interval: 0, repeats: false) { _ in }
        RunLoop.current.add(timer, forMode: .default)
        timer.invalidate()
      }
      #expect(passes <= 2)  // of which one is for what has yet to come, and sleeps
    }
  }

  /// How often a run is about to sleep before a timer ends it.
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
