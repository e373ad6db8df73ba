// Code that must not compile. `.ci/check-samples` checks that each marked line has its message, and that no other line
// has one.
import Foundation
import RunLoopTasks

final class Owner {}

@MainActor final class Screen {
  var updates = 0

  func useOtherWords() {
    // expected-error@+1 {{'forMode' has been renamed to 'forModes(_:)'}}
    _ = RunLoop.current.perform { self.updates += 1 }.forMode(.common)
    // expected-error@+1 {{'inMode' has been renamed to 'forModes(_:)'}}
    _ = RunLoop.current.perform { self.updates += 1 }.inMode(.common)
    // expected-error@+1 {{'delayed(by:)' has been renamed to 'after(_:)'}}
    _ = RunLoop.current.perform { self.updates += 1 }.delayed(by: .seconds(1))
    // expected-error@+1 {{'coalescing(by:)' has been renamed to 'coalesced(by:)'}}
    _ = RunLoop.current.perform { self.updates += 1 }.coalescing(by: "update")
    // expected-error@+1 {{'key' has been renamed to 'coalesced(by:)'}}
    _ = RunLoop.current.perform { self.updates += 1 }.key("update")
    // expected-error@+1 {{'mode' has been renamed to 'forModes(_:)'}}
    _ = RunLoop.current.perform { self.updates += 1 }.mode(.common)
    // expected-error@+1 {{'modes' has been renamed to 'forModes(_:)'}}
    _ = RunLoop.current.perform { self.updates += 1 }.modes(.common)
    // expected-error@+1 {{'at' has been renamed to 'when(_:)'}}
    _ = RunLoop.current.perform { self.updates += 1 }.at(.idle)
    // expected-error@+1 {{Write `.when(.idle)`}}
    _ = RunLoop.current.perform { self.updates += 1 }.whenIdle()
    // expected-error@+1 {{'delay' has been renamed to 'after(_:)'}}
    _ = RunLoop.current.perform { self.updates += 1 }.when(.idle).delay(.seconds(1))
    // expected-error@+1 {{'coalesce(by:)' has been renamed to 'coalesced(by:)'}}
    _ = RunLoop.current.perform { self.updates += 1 }.coalesce(by: "update")
  }

  func useWordsOfOtherSchedulers() {
    // expected-error@+1 {{Write `.order(_:)`: tasks with a lower order run first}}
    _ = RunLoop.current.perform { self.updates += 1 }.priority(1)
    // expected-error@+1 {{Write `.order(_:)`: tasks with a lower order run first}}
    _ = RunLoop.current.perform { self.updates += 1 }.priority(.high)
    // expected-error@+1 {{write `.after(_:).coalesced(by:)`}}
    _ = RunLoop.current.perform { self.updates += 1 }.debounce(for: .seconds(1))
    // expected-error@+1 {{write `.after(_:).coalesced(by:)`}}
    _ = RunLoop.current.perform { self.updates += 1 }.debounce(.seconds(1))
    // expected-error@+1 {{An interval needs a key: write `.coalesced(by:atMostEvery:)`}}
    _ = RunLoop.current.perform { self.updates += 1 }.throttle(for: .seconds(1), latest: true)
    // expected-error@+1 {{write `.coalesced(by:atMostEvery:)`}}
    _ = RunLoop.current.perform { self.updates += 1 }.throttle(.seconds(1))
    // expected-error@+1 {{write `.after(_:).coalesced(by:)`}}
    _ = RunLoop.current.perform { self.updates += 1 }.debounced(for: .seconds(1))
    // expected-error@+1 {{write `.coalesced(by:atMostEvery:)`}}
    _ = RunLoop.current.perform { self.updates += 1 }.throttled(for: .seconds(1))
    // expected-error@+1 {{A delay is a `Duration`: write `.after(.milliseconds(300))`}}
    _ = RunLoop.current.perform { self.updates += 1 }.after(0.3)
    // expected-error@+1 {{A delay is a `Duration`: write `.after(.milliseconds(300))`}}
    _ = RunLoop.current.perform { self.updates += 1 }.after(.now() + 0.3)
    // expected-error@+1 {{use a `Timer`, or a `Task` that sleeps on `taskQueue.clock`}}
    _ = RunLoop.current.perform { self.updates += 1 }.every(.seconds(1))
    // expected-error@+1 {{use a `Timer`, or a `Task` that sleeps on `taskQueue.clock`}}
    _ = RunLoop.current.perform { self.updates += 1 }.repeat(.seconds(1))
    // expected-error@+1 {{use a `Timer`, or a `Task` that sleeps on `taskQueue.clock`}}
    _ = RunLoop.current.perform { self.updates += 1 }.repeats(.seconds(1))
    // expected-error@+1 {{'inModes' has been renamed to 'forModes(_:)'}}
    _ = RunLoop.current.perform { self.updates += 1 }.inModes([.common])
    // expected-error@+1 {{'deadline' has been renamed to 'within(_:)'}}
    _ = RunLoop.current.perform { self.updates += 1 }.when(.idle).deadline(.seconds(1))
    // expected-error@+1 {{Write `.within(_:)`}}
    _ = RunLoop.current.perform { self.updates += 1 }.when(.idle).timeout(.seconds(1))
    let task = RunLoop.current.perform { self.updates += 1 }.when(.idle)
    // expected-error@+1 {{'fire()' has been renamed to 'runNow()'}}
    _ = task.fire()
    // expected-error@+1 {{Compare the state, as in `task.state == .finished` or `.cancelled`}}
    if task.isCancelled { updates = 0 }
    // expected-error@+1 {{Compare the state, as in `task.state == .finished` or `.cancelled`}}
    if task.isDone { updates = 0 }
    // expected-error@+1 {{Compare the state, as in `task.state == .finished` or `.cancelled`}}
    if task.isFinished { updates = 0 }
    // expected-error@+1 {{Compare the state, as in `task.state == .pending`}}
    if task.isPending { updates = 0 }
    // expected-error@+1 {{An interval needs a key: write `.coalesced(by:atMostEvery:)`}}
    _ = RunLoop.current.perform { self.updates += 1 }.when(.idle).atMostEvery(.seconds(1))
  }

  func useOtherTimings() {
    // expected-error@+1 {{'beforeWaiting' has been renamed to 'currentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.beforeWaiting)
    // expected-error@+1 {{'beforeSleep' has been renamed to 'currentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.beforeSleep).forModes([])
    // expected-error@+1 {{'afterWaiting' has been renamed to 'nextLoopBegan'}}
    RunLoop.current.perform { self.updates += 1 }.when(.afterWaiting)
    // expected-error@+1 {{'asap' has been renamed to 'currentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.asap)
    // expected-error@+1 {{Write `.idle`, or for each end of a run `observe(.exit)`}}
    RunLoop.current.perform { self.updates += 1 }.when(.exit)
    // expected-error@+1 {{'endOfPass' has been renamed to 'currentLoopEnded'}}
    MainActor.perform(when: .endOfPass) { self.updates += 1 }
    // expected-error@+1 {{'currentPassEnded' has been renamed to 'currentLoopEnded'}}
    MainActor.perform(when: .currentPassEnded) { self.updates += 1 }
    // expected-error@+1 {{'endOfLoop' has been renamed to 'currentLoopEnded'}}
    MainActor.perform(when: .endOfLoop) { self.updates += 1 }
    // expected-error@+1 {{'nextPassBegan' has been renamed to 'nextLoopBegan'}}
    MainActor.perform(when: .nextPassBegan) { self.updates += 1 }
    // expected-error@+1 {{'onIdle' has been renamed to 'idle'}}
    MainActor.perform(when: .onIdle) { self.updates += 1 }
    // expected-error@+1 {{'nextPass' has been renamed to 'nextLoopBegan'}}
    MainActor.perform(when: .nextPass) { self.updates += 1 }
    // expected-error@+1 {{'coalescedBy' has been renamed to 'coalesced(by:)'}}
    RunLoop.current.perform { self.updates += 1 }.coalescedBy("a").when(.idle)
    // expected-error@+1 {{'whenIdle' has been renamed to 'idle'}}
    MainActor.perform(when: .whenIdle) { self.updates += 1 }
  }

  func useOtherForms() {
    // expected-error@+1 {{'currentLoopEnd' has been renamed to 'currentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.currentLoopEnd)
    // expected-error@+1 {{'currentLoopEnding' has been renamed to 'currentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.currentLoopEnding)
    // expected-error@+1 {{'currentLoopEnds' has been renamed to 'currentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.currentLoopEnds)
    // expected-error@+1 {{'currentRunLoopEnded' has been renamed to 'currentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.currentRunLoopEnded)
    // expected-error@+1 {{'nextRunLoopBegan' has been renamed to 'nextLoopBegan'}}
    RunLoop.current.perform { self.updates += 1 }.when(.nextRunLoopBegan)
    // expected-error@+1 {{'loopEnded' has been renamed to 'currentLoopEnded'}}
    MainActor.perform(when: .loopEnded) { self.updates += 1 }
    // expected-error@+1 {{'nextLoopBegin' has been renamed to 'nextLoopBegan'}}
    RunLoop.current.perform { self.updates += 1 }.when(.nextLoopBegin)
    // expected-error@+1 {{'nextLoopBegins' has been renamed to 'nextLoopBegan'}}
    RunLoop.current.perform { self.updates += 1 }.when(.nextLoopBegins)
    // expected-error@+1 {{'nextLoop' has been renamed to 'nextLoopBegan'}}
    RunLoop.current.perform(when: .nextLoop) { self.updates += 1 }
  }

  func useAnObjectAsKey() {
    let owner = Owner()
    // expected-error@+1 {{A key is `Hashable`: write `.coalesced(by: OwnerKey(self))` for an object}}
    _ = RunLoop.current.perform { self.updates += 1 }.coalesced(by: owner)
    // expected-error@+1 {{A key is `Hashable`: write `.coalesced(by: OwnerKey(self))` for an object}}
    _ = RunLoop.current.perform { self.updates += 1 }.when(.idle).coalesced(by: owner, atMostEvery: .seconds(1))
  }

  func forgetToChain() {
    // expected-note@+2 {{add an explicit type annotation to silence this warning}}
    // expected-warning@+1 {{constant 'task' inferred to have type '()', which may be unexpected}}
    let task = RunLoop.current.perform { print("update") }
    // expected-error@+1 {{value of tuple type '()' has no member 'cancel'}}
    task.cancel()
  }

  func startATimer() {
    // expected-error@+2 {{conflicting arguments to generic parameter 'T' ('Void' vs. 'RunLoopTask')}}
    _ = Timer.scheduledTimer(withTimeInterval: 60, repeats: true) { _ in
      MainActor.assumeIsolated { RunLoop.main.perform(when: .idle) {} }
    }
  }

  /// Any other misspelled name. The documentation of `perform` quotes this message.
  func misspell() {
    // expected-error@+2 {{value of tuple type '()' has no member 'when'}}
    // expected-error@+1 {{cannot infer contextual base in reference to member 'curentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.curentLoopEnded)
  }
}
