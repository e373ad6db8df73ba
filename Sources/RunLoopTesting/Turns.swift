#if canImport(Testing)
  import Foundation
  import RunLoopTasks

  /// Hands out turns, some at a time, first come, first served.
  package final class Turns: Sendable {
    /// Those of the main loop.
    package static let main = Turns(atOnce: 1)
    /// Those of tests with loops of their own: as many as there are processors, and two more for tests that wait.
    static let ofTests = Turns(atOnce: ProcessInfo.processInfo.activeProcessorCount + 2)

    private struct Waiting {
      let id: Int
      let continuation: CheckedContinuation<Void, any Error>
    }

    private let line: Locked<(free: Int, waiting: [Waiting], nextID: Int)>

    package init(atOnce count: Int) { line = Locked((count, [], 0)) }

    /// Waits for a turn, which `giveBack()` ends.
    ///
    /// - Throws: `CancellationError` if the current `Task` is cancelled before.
    package func take() async throws {
      let id = line.withLock { line in
        line.nextID += 1
        return line.nextID
      }
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let result = line.withLock { line -> Result<Void, any Error>? in
            // Before the handler has run, or after it: that one found nobody.
            if Task.isCancelled { return .failure(CancellationError()) }
            guard line.free == 0 else {
              line.free -= 1
              return .success(())
            }
            line.waiting.append(Waiting(id: id, continuation: continuation))
            return nil
          }
          if let result { continuation.resume(with: result) }
        }
      } onCancel: {
        let cancelled = line.withLock { line in
          line.waiting.firstIndex { $0.id == id }.map { line.waiting.remove(at: $0) }
        }
        cancelled?.continuation.resume(throwing: CancellationError())
      }
    }

    package func giveBack() {
      let next = line.withLock { line in
        let next = line.waiting.isEmpty ? nil : line.waiting.removeFirst()
        if next == nil { line.free += 1 }
        return next
      }
      next?.continuation.resume()
    }
  }
#endif
