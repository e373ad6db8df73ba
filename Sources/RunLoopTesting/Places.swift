#if canImport(Testing)
  import Foundation
  import RunLoopTasks

  /// The places of tests that run at once: as many as there are processors, and two more for tests that wait.
  enum Places {
    private static let count = ProcessInfo.processInfo.activeProcessorCount + 2
    private static let line = Locked((taken: 0, waiting: [@Sendable () -> Void]()))

    /// Calls `body` once there is a place, which `leave()` gives back. First come, first served.
    static func take(_ body: @escaping @Sendable () -> Void) {
      let isFree = line.withLock { line in
        let isFree = line.taken < count
        if isFree { line.taken += 1 } else { line.waiting.append(body) }
        return isFree
      }
      if isFree { body() }
    }

    static func leave() {
      let next = line.withLock { line in
        let next = line.waiting.isEmpty ? nil : line.waiting.removeFirst()
        if next == nil { line.taken -= 1 }
        return next
      }
      next?()
    }
  }
#endif
