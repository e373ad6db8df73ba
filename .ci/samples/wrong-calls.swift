// Code that must not compile. `.ci/check-samples` checks that each marked line has its message, and that no other line
// has one.
import Foundation
import RunLoopTasks

func asyncCode() async {}
func throwing() throws {}

final class Owner {}
struct Content {}

/// As a class of Objective-C: `Hashable`, but not `Sendable`.
nonisolated class Work: Hashable {  // expected-note {{class 'Work' does not conform to the 'Sendable' protocol}}
  static func == (one: Work, other: Work) -> Bool { one === other }
  func hash(into hasher: inout Hasher) {}
}

@MainActor final class Screen {
  var updates = 0

  func passOneMode() {
    // expected-error@+1 {{as in `[.default]`}}
    RunLoop.current.perform(when: .idle, forModes: .default) { self.updates += 1 }
    // expected-error@+1 {{and `[.common]`}}
    MainActor.perform(when: .idle, forModes: .common) { self.updates += 1 }
  }

  func askAnotherType(_ thread: RunLoopThread) {
    // expected-error@+1 {{The queue cancels: write `taskQueue.cancelTask(coalescedBy:)`}}
    RunLoop.current.cancelTask(coalescedBy: "update")
    // expected-error@+1 {{Write `queue.perform { RunLoop.current.runTask(coalescedBy:) }`}}
    _ = RunLoopTaskQueue.main.runTask(coalescedBy: "update")
    // expected-error@+1 {{write `thread.taskQueue.perform(when:)`}}
    thread.perform { print("update") }
    // expected-error@+1 {{write `thread.taskQueue.perform(when:)`}}
    thread.perform(after: .seconds(2), coalescedBy: "save") { print("update") }
  }

  func useAnotherLabel(_ queue: RunLoopTaskQueue) {
    // expected-error@+1 {{'perform(at:_:)' has been renamed to 'perform(when:_:)'}}
    RunLoop.current.perform(at: .idle) { self.updates += 1 }
    // expected-error@+1 {{'perform(at:_:)' has been renamed to 'perform(when:_:)'}}
    queue.perform(at: .idle) { print("update") }
    // expected-error@+1 {{'perform(at:_:)' has been renamed to 'perform(when:_:)'}}
    MainActor.perform(at: .idle) { self.updates += 1 }
    // expected-error@+1 {{'perform' has been renamed to 'perform(when:_:)'}}
    RunLoop.current.perform(.idle) { self.updates += 1 }
    // expected-error@+1 {{'perform' has been renamed to 'perform(when:_:)'}}
    queue.perform(.idle) { print("update") }
    // expected-error@+1 {{'perform' has been renamed to 'perform(when:_:)'}}
    MainActor.perform(.idle) { self.updates += 1 }
  }

  func useADateAsDelay(_ queue: RunLoopTaskQueue) {
    // expected-error@+1 {{A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await}}
    MainActor.perform(after: .now() + 0.3) { self.updates += 1 }
    // expected-error@+1 {{A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await}}
    MainActor.perform(after: .now() + 0.3, coalescedBy: "update") { self.updates += 1 }
    // expected-error@+1 {{A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await}}
    queue.perform(after: .now() + 0.3) { print("update") }
  }

  func useOtherClosures() {
    // expected-error@+1 {{A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await}}
    RunLoop.current.perform { try throwing() }.when(.idle)
    // expected-error@+1 {{A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await}}
    RunLoop.current.perform { await asyncCode() }.when(.idle)
    // expected-error@+1 {{A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await}}
    RunLoop.current.perform(when: .idle) { try throwing() }
    // expected-error@+1 {{A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await}}
    MainActor.perform(when: .idle) { try throwing() }
    // expected-error@+1 {{A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await}}
    MainActor.perform { await asyncCode() }
    // expected-error@+1 {{A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await}}
    RunLoopTaskQueue.main.perform { await asyncCode() }
  }

  func awaitInAClosure() async throws {
    // expected-note@+2 {{inferred from asynchronous operation used here}}
    // expected-error@+1 {{cannot pass function of type '@Sendable () async -> ()' to parameter expecting synchronous function type}}
    try await RunLoopTaskQueue.main.run { await asyncCode() }
  }

  func useAnObjectAsKey() {
    // expected-error@+1 {{A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await}}
    MainActor.perform(when: .currentLoopEnded, coalescedBy: Owner()) { self.updates += 1 }
    // expected-error@+1 {{A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await}}
    RunLoop.current.perform(when: .idle, coalescedBy: Owner()) { self.updates += 1 }
    // expected-error@+1 {{A key is `Hashable`, as `OwnerKey(self)`; a delay is a `Duration`; the closure can't throw or await}}
    RunLoopTaskQueue.main.perform(coalescedBy: Owner()) { print("update") }
  }

  func useKeysThatAreNone() {
    // expected-error@+1 {{argument type 'Content' expected to be an instance of a class or class-constrained type}}
    MainActor.perform(coalescedBy: OwnerKey(Content(), "update")) { self.updates += 1 }
    // expected-error@+1 {{type 'Work' does not conform to the 'Sendable' protocol}}
    MainActor.perform(coalescedBy: Work()) { self.updates += 1 }
    // expected-error@+1 {{conformance of 'AnyHashable' to 'Sendable' is unavailable}}
    MainActor.perform(coalescedBy: AnyHashable("update")) { self.updates += 1 }
  }

  /// Texts that no hint can replace. *Troubleshooting* quotes them.
  func useALabelThatIsNone() {
    // expected-error@+2 {{extra trailing closure passed in call}}
    // expected-error@+1 {{cannot convert value of type}}
    MainActor.perform(when: .idle, key: "update") { self.updates += 1 }
    // expected-error@+2 {{extraneous argument label 'delay:' in call}}
    // expected-error@+1 {{type 'RunLoopTask.Timing' has no member 'seconds'}}
    MainActor.perform(delay: .seconds(1)) { self.updates += 1 }
    // expected-error@+1 {{incorrect argument label in call (have 'when:coalesced:_:', expected 'when:coalescedBy:_:')}}
    MainActor.perform(when: .idle, coalesced: "update") { self.updates += 1 }
  }
}
