import Foundation
import RunLoopTasks
import Testing

@testable import RunLoopTesting

/// Runs a function as a test with the trait.
func runWithTrait(
  _ trait: OwnRunLoop = .ownRunLoop, sourceLocation: SourceLocation = #_sourceLocation,
  _ function: @Sendable () async throws -> Void
) async throws {
  try await trait.run(function, as: "that hangs", at: sourceLocation)
}

/// The identity of the current thread's loop. (`RunLoop.current` isn't available in async code.)
func currentLoop() -> ObjectIdentifier { ObjectIdentifier(RunLoop.current) }

func isOnMainLoop() -> Bool { RunLoop.current === RunLoop.main }

/// A number that several threads change.
final class Count: Sendable {
  private let number = Locked(0)
  var value: Int { number.withLock { $0 } }
  @discardableResult func add(_ difference: Int = 1) -> Int {
    number.withLock {
      $0 += difference
      return $0
    }
  }
}

/// Records an issue of the current test unless `body` has exactly the issues whose comments contain these texts, in
/// any order.
func expectIssues(
  _ texts: String..., sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async rethrows {
  let found = try await issues(sourceLocation: sourceLocation, body)
  #expect(found.count == texts.count, "\(found)", sourceLocation: sourceLocation)
  for text in texts {
    #expect(found.contains { $0.contains(text) }, "\(text) in \(found)", sourceLocation: sourceLocation)
  }
}

/// The comments of the issues of some code. They are no issues of the current test.
func issues(sourceLocation: SourceLocation, _ body: () async throws -> Void) async rethrows -> [String] {
  let comments = Locked<[String]>([])
  try await withKnownIssue(isIntermittent: true, sourceLocation: sourceLocation) {
    try await body()
  } matching: { issue in
    comments.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
    return true
  }
  return comments.withLock { $0 }
}
