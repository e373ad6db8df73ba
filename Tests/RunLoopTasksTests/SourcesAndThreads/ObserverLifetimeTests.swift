import Foundation
import RunLoopTasks
import Testing

/// The end of a `RunLoopObserver`.
@Suite(.onOwnLoop) struct ObserverLifetimeTests {
  let log = Log()

  @Test func anObserverThatDoesNotRepeatEndsAfterItsFirstActivity() {
    keepAlive(.default)
    let observer = {
      let token = Token { log("released") }
      return RunLoop.current.observe(.entry, repeats: false) { _ in
        token.use()
        log("entry")
      }
    }()
    #expect(observer.isValid)
    poll()
    #expect(!observer.isValid)
    poll()
    observer.invalidate()
    #expect(log.events == ["entry", "released"])
  }

  @Test(arguments: [true, false]) func anObserverEndsWhenItIsInvalidatedOrReleased(byRelease: Bool) {
    keepAlive(.default)
    var observer: RunLoopObserver?
    do {
      let token = Token { log("released") }
      observer = RunLoop.current.observe(.entry) { _ in
        log("entry")
        token.use()
      }
    }
    poll()
    #expect(observer?.isValid == true)
    if byRelease { observer = nil } else { observer?.invalidate() }
    observer?.invalidate()  // has no effect
    #expect(observer?.isValid != true)
    log("ended")
    poll()
    withExtendedLifetime(observer) {}
    #expect(log.events == ["entry", "released", "ended"])
  }

  @Test func aHandlerMayInvalidateItsObserver() {
    keepAlive(.default)
    var observer: RunLoopObserver?
    observer = RunLoop.current.observe(.all) { activity in
      observer?.invalidate()
      log("\(activity)")
    }
    poll()
    withExtendedLifetime(observer) {}
    #expect(log.events == ["entry"])
  }

  @Test func theEndOfTheLoopEndsTheObserver() {
    let kept = onLoopThread {
      let token = Token { log("released") }
      return SharedObserver(observer: RunLoop.current.observe(.all) { _ in token.use() })
    }
    waitUntil { log.events == ["released"] }
    #expect(!kept.observer.isValid)
  }

  @Test func releasingDuringACallOfTheHandlerIsSafe() {
    let (kept, isDone, hasEnded) = (Box<[SharedObserver]>([]), Box(false), DispatchSemaphore(value: 0))
    let fired = Counter()
    Thread {
      keepAlive(.default)
      while !isDone.value {
        kept.value = (0..<8).map { _ in
          let token = Token {}
          return SharedObserver(
            observer: RunLoop.current.observe(.all) { _ in
              token.use()
              fired.count()
            })
        }
        for _ in 0..<3 { poll() }
      }
      hasEnded.signal()
    }.start()
    waitUntil {
      for observer in kept.value.map(\.observer) { observer.invalidate() }
      kept.value = []
      return fired.value > 2_000
    }
    isDone.value = true
    hasEnded.waitOrDie("the end of the loop")
  }

  /// Its handler belongs to the loop's thread.
  @Test(arguments: [true, false], [true, false])
  func anObserverThatAnotherThreadEndsTakesItselfOffAtItsNextActivity(byRelease: Bool, atEndOfLoop: Bool) {
    let loop = LoopThread()
    let kept = Box<SharedObserver?>(nil)
    loop.perform {
      keepAlive(.default)
      let token = Token { log("released on the loop's thread: \(ThreadID.current == loop.id)") }
      kept.value = SharedObserver(
        observer: RunLoop.current.observe([.entry, .exit]) { _ in
          token.use()
          log("called")
        })
    }
    if byRelease { kept.value = nil } else { kept.value?.observer.invalidate() }
    #expect(kept.value?.observer.isValid != true)
    log("ended")
    if !atEndOfLoop { loop.perform { poll() } }
    loop.end()
    waitUntil { log.events == ["ended", "released on the loop's thread: true"] }
  }
}

/// An observer that a test passes from one thread to another.
private struct SharedObserver: @unchecked Sendable {
  // Unchecked, because an observer may be invalidated and released on any thread.
  let observer: RunLoopObserver
}
