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

  /// The release of the handler waits for the loop, which is about to call the handler.
  @Test func theHandlerIsNotReleasedUnderALock() {
    let loop = LoopThread(running: .default)
    let (isFirst, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let kept = Box<SharedObserver?>(nil)
    loop.queue.perform {
      let token = Token {
        isReleased.signal()
        let answered = DispatchSemaphore(value: 0)
        loop.queue.perform { answered.signal() }
        answered.waitOrDie("a task of the loop")
      }
      observeOnce(.beforeTimers, order: 0) {
        isFirst.signal()
        isReleased.waitOrDie("the release of the second handler")
      }
      kept.value = SharedObserver(observer: RunLoop.current.observe(.beforeTimers, order: 1) { _ in token.use() })
    }
    isFirst.waitOrDie("the first observer")  // The loop has collected both observers.
    elsewhere { kept.value?.observer.invalidate() }
    loop.end()
  }
}

/// An observer that a test passes from one thread to another.
private struct SharedObserver: @unchecked Sendable {
  // Unchecked, because an observer may be invalidated and released on any thread.
  let observer: RunLoopObserver
}
