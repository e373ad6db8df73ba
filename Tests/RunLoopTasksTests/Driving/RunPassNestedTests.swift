import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// Runs nested in `RunLoop.runPass`.
@Suite(.onOwnLoop) struct RunPassNestedTests {
  let log = Log()

  @Test func aPassNestedInAPassHasEachActivityOnce() {
    logActivities(log)
    RunLoop.current.perform {
      log("{")
      RunLoop.current.runPass()
      log("}")
    }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    #expect(
      log.events == [
        "entry", "beforeWaiting", "{", "entry", "beforeWaiting", "afterWaiting", "exit", "}", "afterWaiting", "exit",
      ])
  }

  @Test func aRunNestedInASourceOfAPassEndsInAnEmptyMode() {
    var source: Source?
    source = Source {
      source?.remove()
      log("{")
      run()
      log("}")
    }
    source?.signal()
    logActivities(log)
    RunLoop.current.runPass()
    #expect(
      log.events == [
        "entry", "{", "entry", "beforeWaiting", "afterWaiting", "exit", "}", "beforeWaiting", "afterWaiting", "exit",
      ])
  }

  /// The pass that is nested there uses up the wake-up with which the library lets the run look at its mode.
  @Test func aRunNestedInAPassEndsInAnEmptyModeThoughAnotherPassIsNestedInIt() {
    observeOnce(.beforeSources, order: Order.app) {
      observeOnce(.beforeWaiting, order: Order.frame) { RunLoop.current.runPass() }
      run()
      log("returned")
    }
    RunLoop.current.runPass()
    #expect(log.events == ["returned"])
  }

  @Test func runsNestedInAPassEndAfterTheLastTask() {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource { _ in
      source.value!.invalidate()
      RunLoop.current.perform {
        poll()
        log("{")
      }.when(.currentLoopEnded)
      run()
      log("}")
    }
    RunLoop.current.add(source.value!, forMode: .default)
    source.value!.send(1)
    RunLoop.current.runPass()
    #expect(log.events == ["{", "}"])
  }

  @Test func aPollNestedInAPassDoesNotChangeItsActivities() {
    let source = Source { poll() }
    source.signal()
    observe([.beforeWaiting, .afterWaiting]) { log($0.name) }
    RunLoop.current.runPass()
    source.remove()
    #expect(log.events == ["beforeWaiting", "afterWaiting"])
  }

  @Test func aNestedRunIsNotKeptAliveByItsPass() {
    func pollNested() {
      let keepAlive = ModeHolder()  // CoreFoundation does not enter an empty mode.
      poll()
      withExtendedLifetime(keepAlive) {}
    }
    var source: Source?
    source = Source {
      source?.remove()
      RunLoop.current.perform {
        pollNested()
        log("in the pass")
      }.when(.currentLoopEnded)
      run()
      RunLoop.current.perform {
        pollNested()
        log("at its end")
      }.when(.currentLoopEnded)
      RunLoop.current.perform {
        run()
        log("after it")
      }.when(.nextLoopBegan)
    }
    source?.signal()
    RunLoop.current.runPass()
    #expect(log.events == ["in the pass", "at its end", "after it"])
  }

  /// The engine wakes a run that begins in a pass once, to check whether its mode is empty.
  @Test(arguments: [RunLoop.Activity.beforeSources, .beforeWaiting])
  func aRunNestedInAPassSleeps(activity: RunLoop.Activity) {
    keepAlive(.default)
    var (isNested, passes) = (false, 0)
    observe(activity, order: Order.app) { _ in
      guard !isNested else { return }
      isNested = true
      let timer = Timer(fire: Date(timeIntervalSinceNow: 0.005), interval: 0, repeats: false) { _ in stopRun() }
      RunLoop.current.add(timer, forMode: .default)
      let counting = RunLoop.current.observe(.beforeWaiting, order: Order.first) { _ in passes += 1 }
      run()
      counting.invalidate()
    }
    RunLoop.current.runPass()
    // On a busy machine the timer may fire before the wake-up.
    let mostPasses = 2 + passesOfACancelledTimer
    #expect((1...mostPasses).contains(passes))
  }
}
