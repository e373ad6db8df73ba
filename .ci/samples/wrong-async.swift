// Code that must not compile. `.ci/check-samples` checks that each marked line has its message, and that no other line
// has one.
import Foundation
import RunLoopTasks
import RunLoopTesting

/// Async code may run on any thread, where these methods would stop the program.
func asyncCode() async {
  // expected-error@+1 {{is unavailable from asynchronous contexts; Use `MainActor.perform(when:)`, a `taskQueue`, or a method that isn't async}}
  RunLoop.main.perform {}.when(.idle)
  // expected-error@+1 {{Use `MainActor.perform(when:)`, a `taskQueue`, or a method that isn't async}}
  let task: RunLoopTask = RunLoop.main.perform {}
  // expected-error@+1 {{is unavailable from asynchronous contexts; Use `MainActor.perform(when:)`, a `taskQueue`, or a method that isn't async}}
  RunLoop.main.perform(when: .idle) {}
  task.cancel()
  // expected-error@+1 {{In a test, use withMainRunLoop; else `try await queue.run { RunLoop.current.… }`}}
  RunLoop.main.runPass()
  // expected-error@+1 {{else `try await queue.run { RunLoop.current.… }`}}
  RunLoop.main.advance(by: .seconds(1))
  // expected-error@+1 {{else `try await queue.run { RunLoop.current.… }`}}
  RunLoop.main.runUntil { true }
  // expected-error@+1 {{else `try await queue.run { RunLoop.current.… }`}}
  _ = RunLoop.main.runUntil(timeout: .zero) { true }
  // expected-error@+1 {{else `try await queue.run { RunLoop.current.… }`}}
  RunLoop.main.runUntilTasksFinish()
  // expected-error@+1 {{else `try await queue.run { RunLoop.current.… }`}}
  _ = RunLoop.main.runUntilTasksFinish(timeout: .zero)
  // expected-error@+1 {{else `try await queue.run { RunLoop.current.… }`}}
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

@MainActor final class Screen {
  // expected-note@+2 3 {{mutation of this property is only permitted within the actor}}
  // expected-note@+1 {{property declared here}}
  var updates = 0

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
    // expected-error@+1 {{or a method that isn't async}}
    RunLoop.current.perform(when: .idle) { self.count += 1 }
    // expected-error@+1 {{actor-isolated property 'count' can not be mutated from a Sendable closure}}
    thread.taskQueue.perform { self.count += 1 }
    // expected-error@+1 {{call to actor-isolated instance method 'write()' in a synchronous nonisolated context}}
    thread.taskQueue.perform { self.write() }
    // expected-error@+1 {{actor-isolated property 'count' can not be mutated from a Sendable closure}}
    _ = RunLoopSource<Int> { _ in self.count += 1 }
  }
}
