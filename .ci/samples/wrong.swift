// Code that must not compile. `.ci/check-samples` checks that each marked line has its message, and that no other line
// has one.
import Foundation
import RunLoopTasks
import RunLoopTesting

/// Async code may run on any thread, where these methods would stop the program.
func asyncCode() async {
  // expected-error@+1 {{is unavailable from asynchronous contexts; Use `MainActor.perform(when:)` or a `taskQueue`; in a test}}
  RunLoop.main.perform {}.when(.idle)
  // expected-error@+1 {{or an actor on a RunLoopThread, a sync method}}
  let task: RunLoopTask = RunLoop.main.perform {}
  // expected-error@+1 {{is unavailable from asynchronous contexts; Use `MainActor.perform(when:)` or a `taskQueue`; in a test}}
  RunLoop.main.perform(when: .idle) {}
  task.cancel()
  // expected-error@+1 {{In a test, use withMainRunLoop or a function that isn't async; else let a loop that runs do it (the main one on Linux: with RunLoopMain): `let ran = try await queue.run { RunLoop.current.runPass() }`}}
  RunLoop.main.runPass()
  // expected-error@+1 {{`let ran = try await queue.run { RunLoop.current.advance(by: …) }`}}
  RunLoop.main.advance(by: .seconds(1))
  // expected-error@+1 {{`try await queue.run { RunLoop.current.runUntil { … } }`}}
  RunLoop.main.runUntil { true }
  // expected-error@+1 {{`try await queue.run { RunLoop.current.runUntil(timeout: …) { … } }`}}
  _ = RunLoop.main.runUntil(timeout: .zero) { true }
  // expected-error@+1 {{`try await queue.run { RunLoop.current.runUntilTasksFinish() }`}}
  RunLoop.main.runUntilTasksFinish()
  // expected-error@+1 {{`try await queue.run { RunLoop.current.runUntilTasksFinish(timeout: …) }`}}
  _ = RunLoop.main.runUntilTasksFinish(timeout: .zero)
  // expected-error@+1 {{`try await queue.run { RunLoop.current.runAllTasks() }`}}
  RunLoop.main.runAllTasks()
  // expected-error@+1 {{Use `try await queue.run { … }` in an async function or closure}}
  try? RunLoopTaskQueue.main.performAndWait {}
  // These are Foundation's own methods.
  RunLoop.main.perform {}
  RunLoop.main.perform(inModes: [.common]) {}
}

func testAsyncCode() async throws {
  // expected-error@+1 {{The closure can't await: start a `Task` in it, and let it go on with `advance(by:)`}}
  try await withMainRunLoop { loop in await asyncCode() }
}

func throwing() throws {}

final class Owner {}
struct Content {}

/// As a class of Objective-C: `Hashable`, but not `Sendable`.
nonisolated class Work: Hashable {  // expected-note {{class 'Work' does not conform to the 'Sendable' protocol}}
  static func == (one: Work, other: Work) -> Bool { one === other }
  func hash(into hasher: inout Hasher) {}
}

@MainActor final class Screen {
  // expected-note@+2 3 {{mutation of this property is only permitted within the actor}}
  // expected-note@+1 {{property declared here}}
  var updates = 0

  func passOneMode() {
    // expected-error@+1 {{as in `[.default]`}}
    RunLoop.current.perform(when: .idle, forModes: .default) { self.updates += 1 }
    // expected-error@+1 {{and `[.common]`}}
    MainActor.perform(when: .idle, forModes: .common) { self.updates += 1 }
  }

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

  func askAnotherType(_ thread: RunLoopThread) {
    // expected-error@+1 {{The queue cancels: write `taskQueue.cancelTask(coalescedBy:)`}}
    RunLoop.current.cancelTask(coalescedBy: "update")
    // expected-error@+1 {{The queue cancels: write `taskQueue.cancelAll()`}}
    RunLoop.current.cancelAll()
    // expected-error@+1 {{Write `RunLoopTaskQueue.main.cancelTask(coalescedBy:)`}}
    MainActor.cancelTask(coalescedBy: "update")
    // expected-error@+1 {{On the main thread, write `RunLoop.main.runTask(coalescedBy:)`}}
    _ = MainActor.runTask(coalescedBy: "update")
    // expected-error@+1 {{Write `queue.perform { RunLoop.current.runAllTasks() }`}}
    _ = RunLoopTaskQueue.main.runAllTasks()
    // expected-error@+1 {{Write `queue.perform { RunLoop.current.runTask(coalescedBy:) }`}}
    _ = RunLoopTaskQueue.main.runTask(coalescedBy: "update")
    // expected-error@+1 {{write `thread.taskQueue.perform(when:)`}}
    thread.perform { print("update") }
    // expected-error@+1 {{write `thread.taskQueue.perform(when:)`}}
    thread.perform(after: .seconds(2), coalescedBy: "save") { print("update") }
  }

  func useWordsOfDispatch(_ queue: RunLoopTaskQueue, _ thread: RunLoopThread) {
    // expected-error@+1 {{has been renamed to 'perform(_:)'}}
    queue.async { print("update") }
    // expected-error@+1 {{has been renamed to 'performAndWait(_:)'}}
    _ = queue.sync { 1 }
    // expected-error@+1 {{Write `perform(after: .seconds(1))`}}
    queue.asyncAfter(deadline: .now() + 1) { print("update") }
    // expected-error@+1 {{write `thread.taskQueue.performAndWait { … }`}}
    _ = try? thread.performAndWait { 1 }
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

  func useAnotherLabel(_ queue: RunLoopTaskQueue) {
    // expected-error@+1 {{Write `perform(when:forModes:)`, or chain `.forModes(_:)`}}
    RunLoop.current.perform(inModes: [.common]) { self.updates += 1 }.when(.idle)
    // expected-error@+1 {{'perform(at:_:)' has been renamed to 'perform(when:_:)'}}
    RunLoop.current.perform(at: .idle) { self.updates += 1 }
    // expected-error@+1 {{'perform(at:_:)' has been renamed to 'perform(when:_:)'}}
    queue.perform(at: .idle) { print("update") }
    // expected-error@+1 {{'perform(at:_:)' has been renamed to 'perform(when:_:)'}}
    MainActor.perform(at: .idle) { self.updates += 1 }
    // expected-error@+1 {{has been renamed to 'perform(when:_:)'}}
    RunLoop.current.perform(.idle) { self.updates += 1 }
    // expected-error@+1 {{has been renamed to 'perform(when:_:)'}}
    queue.perform(.idle, after: .seconds(1)) { print("update") }
    // expected-error@+1 {{has been renamed to 'perform(when:_:)'}}
    MainActor.perform(.idle, coalescedBy: "update") { self.updates += 1 }
    // expected-error@+1 {{Write `perform(when:forModes:)`, or chain `.forModes(_:)`}}
    RunLoop.current.perform(forMode: .common) { self.updates += 1 }
    // expected-error@+1 {{Write `perform(when:forModes:)`, or chain `.forModes(_:)`}}
    RunLoop.current.perform(mode: .common) { self.updates += 1 }
    // expected-error@+1 {{A delay is a `Duration`: write `after: .milliseconds(300)`}}
    MainActor.perform(after: .now() + 0.3) { self.updates += 1 }
    // expected-error@+1 {{A delay is a `Duration`: write `after: .milliseconds(300)`}}
    MainActor.perform(after: .now() + 0.3, coalescedBy: "update") { self.updates += 1 }
    // expected-error@+1 {{A delay is a `Duration`: write `after: .milliseconds(300)`}}
    RunLoop.current.perform(when: .idle, after: .now() + 0.3) { self.updates += 1 }
    // expected-error@+1 {{A delay is a `Duration`: write `after: .milliseconds(300)`}}
    queue.perform(after: .now() + 0.3) { print("update") }
  }

  func useOtherClosures() {
    // expected-error@+1 {{The closure can neither throw nor await: catch errors in it, or start a `Task`}}
    RunLoop.current.perform { try throwing() }.when(.idle)
    // expected-error@+1 {{The closure can neither throw nor await: catch errors in it, or start a `Task`}}
    RunLoop.current.perform { await asyncCode() }.when(.idle)
    // expected-error@+1 {{The closure can neither throw nor await: catch errors in it, or start a `Task`}}
    _ = RunLoop.current.perform { try throwing() }
    // expected-error@+1 {{The closure can neither throw nor await: catch errors in it, or start a `Task`}}
    MainActor.perform(when: .idle) { try throwing() }
    // expected-error@+1 {{The closure can neither throw nor await: catch errors in it, or start a `Task`}}
    MainActor.perform { await asyncCode() }
    // expected-error@+1 {{The closure can neither throw nor await: catch errors in it, or start a `Task`}}
    RunLoopTaskQueue.main.perform { await asyncCode() }
    // expected-error@+1 {{invalid conversion from throwing function of type '() throws -> ()' to non-throwing function type '() -> Void'}}
    RunLoop.current.perform(when: .idle) { try throwing() }
    // expected-note@+2 {{inferred from asynchronous operation used here}}
    // expected-error@+1 {{cannot pass function of type '() async -> ()' to parameter expecting synchronous function type}}
    RunLoop.current.perform(when: .idle) { await asyncCode() }
  }

  func awaitInAClosure() async throws {
    // expected-error@+1 {{The closure can't await: await what it needs first, or start a `Task` in it}}
    try await RunLoopTaskQueue.main.run { await asyncCode() }
    // expected-error@+1 {{The closure can't await: await what it needs first, or start a `Task` in it}}
    try await MainActor.run(when: .idle) { await asyncCode() }
  }

  func useAnObjectAsKey() {
    let owner = Owner()
    // expected-error@+1 {{A key is `Hashable`: write `.coalesced(by: OwnerKey(self))` for an object}}
    _ = RunLoop.current.perform { self.updates += 1 }.coalesced(by: owner)
    // expected-error@+1 {{A key is `Hashable`: write `.coalesced(by: OwnerKey(self))` for an object}}
    _ = RunLoop.current.perform { self.updates += 1 }.when(.idle).coalesced(by: owner, atMostEvery: .seconds(1))
    // expected-error@+1 {{A key is `Hashable`: write `coalescedBy: OwnerKey(self)` for an object}}
    MainActor.perform(when: .currentLoopEnded, coalescedBy: owner) { self.updates += 1 }
    // expected-error@+1 {{A key is `Hashable`: write `coalescedBy: OwnerKey(self)` for an object}}
    RunLoop.current.perform(when: .idle, coalescedBy: owner) { self.updates += 1 }
    // expected-error@+1 {{A key is `Hashable`: write `coalescedBy: OwnerKey(self)` for an object}}
    RunLoopTaskQueue.main.perform(coalescedBy: owner) { print("update") }
  }

  /// Texts that no hint can replace. *Troubleshooting* quotes them.
  func leaveTheMainActor(_ queue: RunLoopTaskQueue) {
    // expected-error@+1 {{main actor-isolated property 'updates' can not be mutated from a Sendable closure}}
    RunLoop.current.perform { self.updates += 1 }
    // expected-error@+1 {{main actor-isolated property 'updates' can not be mutated from a Sendable closure}}
    queue.perform { self.updates += 1 }
    // expected-error@+1 {{main actor-isolated property 'updates' can not be referenced from a Sendable closure}}
    _ = try? queue.performAndWait { self.updates }
    // expected-error@+1 {{main actor-isolated property 'updates' can not be mutated from a Sendable closure}}
    _ = RunLoopSource<Int> { _ in self.updates += 1 }
    var count = 0
    // expected-error@+1 {{mutation of captured var 'count' in concurrently-executing code}}
    queue.perform { count += 1 }
    _ = count
  }

  func forgetToChain() {
    // expected-note@+2 {{add an explicit type annotation to silence this warning}}
    // expected-warning@+1 {{constant 'task' inferred to have type '()', which may be unexpected}}
    let task = RunLoop.current.perform { print("update") }
    // expected-error@+1 {{value of tuple type '()' has no member 'cancel'}}
    task.cancel()
  }

  func useKeysThatAreNone() {
    // expected-error@+1 {{argument type 'Content' expected to be an instance of a class or class-constrained type}}
    MainActor.perform(coalescedBy: OwnerKey(Content(), "update")) { self.updates += 1 }
    // expected-error@+1 {{type 'Work' does not conform to the 'Sendable' protocol}}
    MainActor.perform(coalescedBy: Work()) { self.updates += 1 }
    // expected-error@+1 {{conformance of 'AnyHashable' to 'Sendable' is unavailable}}
    MainActor.perform(coalescedBy: AnyHashable("update")) { self.updates += 1 }
  }

  func startATimer() {
    // expected-error@+2 {{conflicting arguments to generic parameter 'T' ('Void' vs. 'RunLoopTask')}}
    _ = Timer.scheduledTimer(withTimeInterval: 60, repeats: true) { _ in
      MainActor.assumeIsolated { RunLoop.main.perform(when: .idle) {} }
    }
  }

  func useALabelThatIsNone() {
    // expected-error@+1 {{A key is `coalescedBy:`, and an interval `atMostEvery:`, behind a key}}
    MainActor.perform(when: .idle, key: "update") { self.updates += 1 }
    // expected-error@+1 {{A key is `coalescedBy:`, and an interval `atMostEvery:`, behind a key}}
    MainActor.perform(every: .seconds(1)) { self.updates += 1 }
    // expected-error@+1 {{A delay is `after:`, and a limit `within:`}}
    MainActor.perform(when: .idle, delay: .seconds(1), coalescedBy: "update") { self.updates += 1 }
    // expected-error@+1 {{A delay is `after:`, and a limit `within:`}}
    MainActor.perform(when: .idle, timeout: .seconds(1)) { self.updates += 1 }
    // expected-error@+1 {{A delay is a `Duration`: write `after: .milliseconds(300)`}}
    MainActor.perform(after: 0.3) { self.updates += 1 }
    // expected-error@+2 {{extra trailing closure passed in call}}
    // expected-error@+1 {{cannot convert value of type}}
    RunLoopTaskQueue.main.perform(when: .idle, key: "update") { print("update") }
    // expected-error@+2 {{extraneous argument label 'delay:' in call}}
    // expected-error@+1 {{type 'RunLoopTask.Timing' has no member 'seconds'}}
    RunLoopTaskQueue.main.perform(delay: .seconds(1)) { print("update") }
    // expected-error@+1 {{incorrect argument label in call (have 'when:coalesced:_:', expected 'when:coalescedBy:_:')}}
    MainActor.perform(when: .idle, coalesced: "update") { self.updates += 1 }
  }

  /// Any other misspelled name. The documentation of `perform` quotes this message.
  func misspell() {
    // expected-error@+2 {{value of tuple type '()' has no member 'when'}}
    // expected-error@+1 {{cannot infer contextual base in reference to member 'curentLoopEnded'}}
    RunLoop.current.perform { self.updates += 1 }.when(.curentLoopEnded)
  }
}

actor Store {
  private let thread = RunLoopThread(name: "store")
  // expected-note@+1 2 {{mutation of this property is only permitted within the actor}}
  private var count = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  // expected-note@+1 {{calls to instance method 'write()' from outside of its actor context are implicitly asynchronous}}
  func write() {}

  func save() async {
    // expected-error@+2 {{class property 'current' is unavailable from asynchronous contexts}}
    // expected-error@+1 {{or an actor on a RunLoopThread, a sync method}}
    RunLoop.current.perform(when: .idle) { self.count += 1 }
    // expected-error@+1 {{actor-isolated property 'count' can not be mutated from a Sendable closure}}
    thread.taskQueue.perform { self.count += 1 }
    // expected-error@+1 {{call to actor-isolated instance method 'write()' in a synchronous nonisolated context}}
    thread.taskQueue.perform { self.write() }
    // expected-error@+1 {{actor-isolated property 'count' can not be mutated from a Sendable closure}}
    _ = RunLoopSource<Int> { _ in self.count += 1 }
  }
}
