import Foundation
import RunLoopTasks

/// A view model of the main actor, which searches once the user has paused.
@MainActor package final class SearchModel {
  package var text = "" { didSet { searchLater() } }
  package private(set) var results: [String] = []
  private let search: @Sendable (String) async -> [String]

  package init(search: @escaping @Sendable (String) async -> [String]) { self.search = search }

  private func searchLater() {
    MainActor.perform(after: .milliseconds(300), coalescedBy: OwnerKey(self)) { [self] in
      Task { results = await search(text) }
    }
  }
}
