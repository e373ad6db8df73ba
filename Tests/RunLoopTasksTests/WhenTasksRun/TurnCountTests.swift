import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// A loop makes no turn that a timer, a source, a task or a user has not caused.
@Suite(.onOwnLoop) struct TurnCountTests {
  /// The callback of a timer runs the loop nested, as a modal panel does. The timer stays due and cannot fire, so on
  /// Linux it holds up the timer of the delay, and something else has to wake the loop at that time.
  @Test func aRunInTheCallbackOfATimerMakesATurnForEachEventOnly() {
    let (turns, events) = (Counter(), Counter())
    let loop = LoopReference(CFRunLoopGetCurrent())
    RunLoop.current.perform {}.after(.seconds(600))
    addTimer {
      observe(.afterWaiting) { _ in turns.count() }
      let source = DispatchSource.makeTimerSource()
      source.schedule(deadline: .now(), repeating: .milliseconds(20))
      source.setEventHandler {
        events.count()
        CFRunLoopWakeUp(loop.loop)
      }
      source.resume()
      CFRunLoopRunInMode(RunLoop.Mode.default.cf, 1.7, false)  // a closure pending for a second would show
      source.cancel()
      stopRun()
    }
    run()
    #expect(events.value > 0)
    #expect(turns.value <= events.value + 2)
  }
}
