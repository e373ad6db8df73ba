import RunLoopTasks

/// All pieces of work of which it is not yet known what became of them.
final class Ledger: Sendable {
  private let new = Guarded<[Posted]>([])
  private let open = Guarded<[Posted]>([])

  func enter(_ posted: Posted) { new.withLock { $0.append(posted) } }

  /// Judges what has come to its end.
  ///
  /// - Returns: how many have not.
  @discardableResult
  func audit() -> Int {
    // In one step, or what one auditor has in hand would be missed by another.
    open.withLock { open in
      open += new.withLock { new in
        defer { new = [] }
        return new
      }
      open = open.filter { !$0.piece.judge($0.task.state) }
      return open.count
    }
  }

  /// What is open for longer than that.
  func overdue(_ patience: Duration) -> [String] {
    open.withLock { $0.filter { $0.piece.age > patience } }.map(\.listing)
  }

  /// Some of what is open, oldest first.
  var listing: String {
    let oldest = open.withLock { $0 }.sorted { $0.piece.age > $1.piece.age }
    return "\(oldest.count) tasks are open\n" + oldest.prefix(20).map { "  \($0.listing)" }.joined(separator: "\n")
  }
}

extension Posted {
  fileprivate var listing: String {
    "\(piece.description): \(task.state), closure \(piece.isReleased ? "released" : "kept"), \(piece.age) old"
  }
}
