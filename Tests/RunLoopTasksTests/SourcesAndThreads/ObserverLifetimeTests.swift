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

  @Test func invalidatingEndsTheObserver() {
    keepAlive(.default)
    var token: Token? = Token { log("released") }
    let observer = RunLoop.current.observe(.all) { [token] _ in token?.use() }
    token = nil
    #expect(observer.isValid)
    observer.invalidate()
    #expect(!observer.isValid)
    observer.invalidate()
    log("invalidated")
    poll()
    #expect(log.events == ["released", "invalidated"])
  }

  @Test func aHandlerMayInvalidateItsObserver() {
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
    #expect(log.events.prefix(1) == ["entry"])
    #expect(log.events.count <= 2)
  }

  @Test func releasingEndsTheObserver() {
    keepAlive(.default)
    var observer: RunLoopObserver? = RunLoop.current.observe(.entry) { _ in log("entry") }
    poll()
    withExtendedLifetime(observer) {}
    observer = nil
    log("released")
    poll()
    #expect(log.events == ["entry", "released"])
  }

  @Test func theEndOfTheLoopEndsTheObserver() {
    let log = Log()
    let kept = Box<SharedObserver?>(nil)
    onLoopThread {
      let token = Token { log("released") }
      kept.value = SharedObserver(observer: RunLoop.current.observe(.all) { _ in token.use() })
    }
    waitUntil { log.events == ["released"] }
    #expect(kept.value?.observer.isValid == false)
    kept.value = nil
  }

  // MARK: other threads

  /// An observer may be released on any thread, also while its loop ends.
  @Test func releasingOnAnotherThreadIsSafe() {
    for _ in 0..<200 {
      let kept = Box<SharedObserver?>(nil)
      onLoopThread { kept.value = SharedObserver(observer: RunLoop.current.observe(.all) { _ in }) }
      kept.value = nil
    }
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
    let (isFirst, isReleased, made) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let (kept, once) = (Box<[SharedObserver]>([]), Counter())
    loop.queue.perform {
      let token = Token {
        isReleased.signal()
        let answered = DispatchSemaphore(value: 0)
        loop.queue.perform { answered.signal() }
        answered.waitOrDie("a task of the loop")
      }
      let first = RunLoop.current.observe(.beforeTimers, order: 0) { _ in
        guard once.count() == 1 else { return }
        isFirst.signal()
        isReleased.waitOrDie("the release of the second handler")
      }
      let second = RunLoop.current.observe(.beforeTimers, order: 1) { _ in token.use() }
      kept.value = [SharedObserver(observer: first), SharedObserver(observer: second)]
      made.signal()
    }
    made.waitOrDie("the observers")
    isFirst.waitOrDie("the first observer")  // The loop has collected both observers.
    elsewhere { kept.value[1].observer.invalidate() }
    loop.end()
  }
}
