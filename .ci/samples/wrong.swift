// Code that must not compile. `.ci/check-samples` checks that each marked line has its message, and that no other line
// has one.
import Foundation
import RunLoopTasks

/// Async code may run on any thread, where these methods would stop the program.
func asyncCode() async {
  // expected-error@+1 {{is unavailable from asynchronous contexts; Use `MainActor.perform(when:)` in async code}}
  RunLoop.main.perform {}.when(.idle)
  // expected-error@+1 {{the `taskQueue` of another loop}}
  let task: RunLoopTask = RunLoop.main.perform {}
  // expected-error@+1 {{is unavailable from asynchronous contexts; Use `MainActor.perform(when:)` in async code}}
  RunLoop.main.perform(when: .idle) {}
  task.cancel()
  // expected-error@+1 {{Let the loop do it: `try await queue.run { RunLoop.current.runPass() }`}}
  RunLoop.main.runPass()
  // expected-error@+1 {{`try await queue.run { RunLoop.current.advance(by: …) }`}}
  RunLoop.main.advance(by: .seconds(1))
  // expected-error@+1 {{`try await queue.run { RunLoop.current.runUntil { … } }`}}
  RunLoop.main.runUntil { true }
  // expected-error@+1 {{`try await queue.run { RunLoop.current.runUntil { … } }`}}
  _ = RunLoop.main.runUntil(timeout: .zero) { true }
  // expected-error@+1 {{`try await queue.run { RunLoop.current.runUntilTasksFinish() }`}}
  RunLoop.main.runUntilTasksFinish()
  // expected-error@+1 {{`try await queue.run { RunLoop.current.runUntilTasksFinish() }`}}
  _ = RunLoop.main.runUntilTasksFinish(timeout: .zero)
  // expected-error@+1 {{`try await queue.run { RunLoop.current.runAllTasks() }`}}
  RunLoop.main.runAllTasks()
  // expected-error@+1 {{Use `try await queue.run { … }` in an async function or closure}}
  try? RunLoopTaskQueue.main.performAndWait {}
  // These are Foundation's own methods.
  RunLoop.main.perform {}
  RunLoop.main.perform(inModes: [.common]) {}
}

@MainActor final class Screen {
  var updates = 0

  func passOneMode() {
    // expected-error@+1 {{write `[.default]`}}
    RunLoop.current.perform(when: .idle, forModes: .default) { self.updates += 1 }
    // expected-error@+1 {{write `[.common]`}}
    MainActor.perform(when: .idle, forModes: .common) { self.updates += 1 }
  }

  func useOtherWords() {
    // expected-error@+1 {{'forMode' has been renamed to 'forModes(_:)'}}
    RunLoop.current.perform { self.updates += 1 }.forMode(.common)
    // expected-error@+1 {{'delay' has been renamed to 'after(_:)'}}
    RunLoop.current.perform { self.updates += 1 }.when(.idle).delay(.seconds(1))
    // expected-error@+1 {{'coalesce(by:)' has been renamed to 'coalesced(by:)'}}
    RunLoop.current.perform { self.updates += 1 }.coalesce(by: "update")
  }

  func useWordsOfOtherSchedulers() {
    // expected-error@+1 {{Write `.order(_:)`: tasks with a lower order run first}}
    RunLoop.current.perform { self.updates += 1 }.priority(1)
    // expected-error@+1 {{write `.after(_:).coalesced(by:)`}}
    RunLoop.current.perform { self.updates += 1 }.debounce(for: .seconds(1))
    // expected-error@+1 {{write `.coalesced(by:atMostEvery:)`, which runs the latest}}
    RunLoop.current.perform { self.updates += 1 }.throttle(for: .seconds(1), latest: true)
    // expected-error@+1 {{use a `Timer`, or let the task schedule the next one}}
    RunLoop.current.perform { self.updates += 1 }.every(.seconds(1))
    // expected-error@+1 {{'inModes' has been renamed to 'forModes(_:)'}}
    RunLoop.current.perform { self.updates += 1 }.inModes([.common])
    // expected-error@+1 {{'deadline' has been renamed to 'within(_:)'}}
    RunLoop.current.perform { self.updates += 1 }.when(.idle).deadline(.seconds(1))
    // expected-error@+1 {{Write `.within(_:)`}}
    RunLoop.current.perform { self.updates += 1 }.when(.idle).timeout(.seconds(1))
    let task = RunLoop.current.perform { self.updates += 1 }.when(.idle)
    // expected-error@+1 {{'fire()' has been renamed to 'runNow()'}}
    task.fire()
    // expected-error@+1 {{Compare the state: `task.state == .cancelled`}}
    if task.isCancelled { updates = 0 }
    // expected-error@+1 {{An interval needs a key: write `.coalesced(by:atMostEvery:)`}}
    RunLoop.current.perform { self.updates += 1 }.when(.idle).atMostEvery(.seconds(1))
  }

  func askAnotherType(_ thread: RunLoopThread) {
    // expected-error@+1 {{The queue cancels: write `taskQueue.cancelTask(coalescedBy:)`}}
    RunLoop.current.cancelTask(coalescedBy: "update")
    // expected-error@+1 {{write `RunLoop.current.runTask(coalescedBy:)`}}
    RunLoopTaskQueue.main.runTask(coalescedBy: "update")
    // expected-error@+1 {{write `thread.taskQueue.perform(when:)`}}
    thread.perform { print("update") }
    // expected-error@+1 {{write `thread.taskQueue.perform(when:)`}}
    thread.perform(when: .idle) { print("update") }
  }

  func useOtherTimings() {
    // expected-error@+1 {{'beforeWaiting' has been renamed to 'currentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.beforeWaiting)
    // expected-error@+1 {{'afterWaiting' has been renamed to 'nextLoopBegan'}}
    RunLoop.current.perform { self.updates += 1 }.when(.afterWaiting)
    // expected-error@+1 {{'asap' has been renamed to 'currentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.asap)
    // expected-error@+1 {{'exit' has been renamed to 'idle'}}
    RunLoop.current.perform { self.updates += 1 }.when(.exit)
    // expected-error@+1 {{'whenIdle' has been renamed to 'idle'}}
    MainActor.perform(when: .whenIdle) { self.updates += 1 }
  }

  func useOtherForms() {
    // expected-error@+1 {{'currentLoopEnd' has been renamed to 'currentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.currentLoopEnd)
    // expected-error@+1 {{'currentLoopEnds' has been renamed to 'currentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.currentLoopEnds)
    // expected-error@+1 {{'loopEnded' has been renamed to 'currentLoopEnded'}}
    MainActor.perform(when: .loopEnded) { self.updates += 1 }
    // expected-error@+1 {{'nextLoopBegin' has been renamed to 'nextLoopBegan'}}
    RunLoop.current.perform { self.updates += 1 }.when(.nextLoopBegin)
    // expected-error@+1 {{'nextLoopBegins' has been renamed to 'nextLoopBegan'}}
    RunLoop.current.perform { self.updates += 1 }.when(.nextLoopBegins)
    // expected-error@+1 {{'nextLoop' has been renamed to 'nextLoopBegan'}}
    RunLoop.current.perform(when: .nextLoop) { self.updates += 1 }
  }

  /// Any other misspelled name. The documentation of `perform` quotes this message.
  func misspell() {
    // expected-error@+2 {{value of tuple type '()' has no member 'when'}}
    // expected-error@+1 {{cannot infer contextual base in reference to member 'curentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.curentLoopEnded)
  }
}
