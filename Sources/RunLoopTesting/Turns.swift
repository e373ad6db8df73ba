#if canImport(Testing)
  import RunLoopTasks

  /// Hands out turns, one at a time, first come, first served.
  package final class Turns: Sendable {
    /// Those of the main loop.
    package static let main = Turns()

    private struct Waiting {
      let id: Int
      let continuation: CheckedContinuation<Void, any Error>
    }

    private let line = Locked((isTaken: false, waiting: [Waiting](), nextID: 0))

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
            guard line.isTaken else {
              line.isTaken = true
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
        line.isTaken = next != nil
        return next
      }
      next?.continuation.resume()
    }
  }
#endif
