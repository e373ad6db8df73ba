import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 5: `RunLoop.observe`, `RunLoopObserver` and `RunLoop.Activity`.
@Suite struct RunLoopObserverTests {
  @Test func itHearsEachActivityOfAPass() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      let observer = RunLoop.current.observe(.all) { log("\($0)") }
      observeOnce(.beforeWaiting) { stopRun() }
      run()
      withExtendedLifetime((observer, keepAlive)) {}
    }
    #expect(events == ["entry", "beforeTimers", "beforeSources", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test func itHearsOnlyWhatItAskedFor() {
    let events = eventsOnLoopThread { log in
      let observer = RunLoop.current.observe([.exit, .beforeTimers]) { log("\($0)") }
      let keepAlive = ModeHolder()
      poll()
      withExtendedLifetime((observer, keepAlive)) {}
    }
    #expect(events == ["beforeTimers", "exit"])
  }

  @Test func modesAreTheCommonOnesUnlessSaid() {
    let events = eventsOnLoopThread { log in
      let keepAlives = [ModeHolder(), ModeHolder(.custom), ModeHolder(.other)]
      let common = RunLoop.current.observe(.entry) { _ in log("common") }
      let some = RunLoop.current.observe(.entry, forModes: [.custom, .other], order: 1) { _ in log("some") }
      for mode in [RunLoop.Mode.default, .custom, .other] {
        log("\(mode.rawValue.suffix(6))")
        poll(mode)
      }
      CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
      log("common now")
      poll(.custom)
      withExtendedLifetime((common, some, keepAlives)) {}
    }
    #expect(events == ["ltMode", "common", "custom", "some", ".other", "some", "common now", "common", "some"])
  }

  @Test func lowerOrdersComeFirst() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      let observers = [3, 1, 2].map { order in RunLoop.current.observe(.entry, order: order) { _ in log("\(order)") } }
      poll()
      withExtendedLifetime((observers, keepAlive)) {}
    }
    #expect(events == ["1", "2", "3"])
  }

  /// The very last order is the package's own; it counts as the one before.
  @Test func theLastOrderIsTheLastButOne() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      RunLoopTasksTests.observe(.entry, order: .max - 1) { _ in log("first") }
      let observers = [Int.max, .max - 1, .max].enumerated().map { index, order in
        RunLoop.current.observe(.entry, order: order) { _ in log("\(index)") }
      }
      RunLoopTasksTests.observe(.entry, order: .max) { _ in log("last") }
      poll()
      withExtendedLifetime((observers, keepAlive)) {}
    }
    #expect(events == ["first", "0", "1", "2", "last"])
  }

  /// And so is the very first, which counts as the one after.
  @Test func theFirstOrderIsTheSecond() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      let observers = [Int.min, .min + 1, .min].enumerated().map { index, order in
        RunLoop.current.observe(.entry, order: order) { _ in log("\(index)") }
      }
      RunLoopTasksTests.observe(.entry, order: .min) { _ in log("first") }
      RunLoopTasksTests.observe(.entry, order: .min + 1) { _ in log("last") }
      poll()
      withExtendedLifetime((observers, keepAlive)) {}
    }
    #expect(events == ["first", "0", "1", "2", "last"])
  }

  @Test func oneThatDoesNotRepeatEndsAfterTheFirst() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      let token = Token { log("released") }
      let observer = RunLoop.current.observe(.entry, repeats: false) { _ in
        token.use()
        log("entry")
      }
      #expect(observer.isValid)
      poll()
      #expect(!observer.isValid)
      poll()
      observer.invalidate()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["entry", "released"])
  }

  @Test func itEndsWhenItIsInvalidated() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      var token: Token? = Token { log("released") }
      let observer = RunLoop.current.observe(.all) { [token] _ in token?.use() }
      token = nil
      #expect(observer.isValid)
      observer.invalidate()
      #expect(!observer.isValid)
      observer.invalidate()
      log("invalidated")
      poll()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["released", "invalidated"])
  }

  @Test func itMayInvalidateItself() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      var observer: RunLoopObserver?
      let token = Token { log("released") }
      observer = RunLoop.current.observe(.all) { activity in
        observer?.invalidate()
        log("\(activity)")
        token.use()
      }
      poll()
      withExtendedLifetime((observer, keepAlive)) {}
    }
    #expect(events.prefix(1) == ["entry"])
    #expect(events.count <= 2)
  }

  @Test func itEndsWhenItIsReleased() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      var observer: RunLoopObserver? = RunLoop.current.observe(.entry) { _ in log("entry") }
      poll()
      withExtendedLifetime(observer) {}
      observer = nil
      log("released")
      poll()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["entry", "released"])
  }

  @Test func itEndsWithItsLoop() {
    let log = Log()
    let kept = Box<Kept?>(nil)
    onLoopThread {
      let token = Token { log("released") }
      kept.value = Kept(observer: RunLoop.current.observe(.all) { _ in token.use() })
    }
    waitUntil { log.events == ["released"] }
    #expect(kept.value?.observer.isValid == false)
    kept.value = nil
  }

  /// An observer may be let go of on any thread, also while its loop ends.
  @Test func releasingOnAnotherThreadIsSafe() {
    for _ in 0..<200 {
      let kept = Box<Kept?>(nil)
      onLoopThread { kept.value = Kept(observer: RunLoop.current.observe(.all) { _ in }) }
      kept.value = nil
    }
  }

  private struct Kept: @unchecked Sendable {
    // Unchecked: the test hands it from one thread to the next.
    let observer: RunLoopObserver
  }

  @Test func activitiesHaveTheNumbersOfCoreFoundation() {
    #expect(RunLoop.Activity.all.rawValue == 0b1110_0111)
    #expect(
      RunLoop.Activity.all.contains([.entry, .beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting, .exit]))
    #expect("\(RunLoop.Activity.beforeWaiting)" == "beforeWaiting")
    #expect("\([.exit, .entry] as RunLoop.Activity)" == "[entry, exit]")
  }

  private func observeOnce(_ activity: RunLoop.Activity, _ handler: @escaping () -> Void) {
    observe(activity, order: Order.last) { _ in handler() }
  }

  // MARK: under attack

  @Test func releasingWhileItIsBeingCalledIsSafe() {
    let (kept, isDone, hasEnded) = (Box<[Kept]>([]), Box(false), DispatchSemaphore(value: 0))
    let fired = Counter()
    Thread {
      let keepAlive = ModeHolder()
      while !isDone.value {
        kept.value = (0..<8).map { _ in
          let token = Token {}
          return Kept(
            observer: RunLoop.current.observe(.all) { _ in
              token.use()
              fired.count()
            })
        }
        for _ in 0..<3 { poll() }
      }
      withExtendedLifetime(keepAlive) {}
      hasEnded.signal()
    }.start()
    waitUntil {
      for observer in kept.value.map(\.observer) { observer.invalidate() }
      kept.value = []
      return fired.value > 2_000
    }
    isDone.value = true
    hasEnded.waitOrDie("the loop")
  }

  /// What the handler captured waits, as it goes, for the loop, which is about to call it.
  @Test func theHandlerIsNotLetGoOfUnderALock() {
    let loop = LoopThread(running: .default)
    let (isFirst, isGoing, made) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let (kept, once) = (Box<[Kept]>([]), Counter())
    loop.queue.perform {
      let token = Token {
        isGoing.signal()
        let answered = DispatchSemaphore(value: 0)
        loop.queue.perform { answered.signal() }
        answered.waitOrDie("the loop")
      }
      let first = RunLoop.current.observe(.beforeTimers, order: 0) { _ in
        guard once.count() == 1 else { return }
        isFirst.signal()
        isGoing.waitOrDie("the end of the second")
      }
      let second = RunLoop.current.observe(.beforeTimers, order: 1) { _ in token.use() }
      kept.value = [Kept(observer: first), Kept(observer: second)]
      made.signal()
    }
    made.waitOrDie("the observers")
    isFirst.waitOrDie("the first")  // the loop has collected both
    elsewhere { kept.value[1].observer.invalidate() }
    loop.end()
  }
}
