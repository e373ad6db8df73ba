// Code that must not compile where the main actor is the default isolation. `.ci/check-samples` checks that each marked
// line has its message, and that no other line has one.
import Foundation
import RunLoopTasks

enum Work { case save, search }
nonisolated enum FreeWork { case save, search }

final class Owner {
  func useACaseAsKey() {
    // expected-error@+1 {{main actor-isolated conformance of 'Work' to 'Hashable' cannot satisfy conformance requirement for a 'Sendable' type parameter}}
    MainActor.perform(coalescedBy: OwnerKey(self, Work.save)) { print("update") }
    MainActor.perform(coalescedBy: OwnerKey(self, FreeWork.save)) { print("update") }
  }
}
