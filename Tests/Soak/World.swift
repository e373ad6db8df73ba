import Foundation

/// What all parts of the soak share.
final class World: Sendable {
  let options: Options
  let ledger = Ledger()
  /// Tasks that other threads may cancel and amend.
  let board = Guarded<[Posted]>([])
  /// Set when the clients are to come to their end.
  let isOver = Flag()
  /// Set when all has come to its end but the main loop.
  let isDone = Flag()
  /// Set when that has, too.
  let isClosed = Flag()
  private let places = Guarded<[Slot]>([])
  private static let boardSize = 256

  init(_ options: Options) { self.options = options }

  var patience: Duration { .seconds(options.patience) }

  /// The first one is the main loop's.
  var slots: [Slot] { places.withLock { $0 } }

  var busySlots: [Slot] { slots.filter { !$0.isQuiet } }

  func add(_ slot: Slot) { places.withLock { $0.append(slot) } }

  /// Forgets what refers to loops, and thereby to this.
  func clear() {
    board.withLock { $0 = [] }
    places.withLock { $0 = [] }
  }

  func pin(_ posted: Posted, _ random: inout Random) {
    board.withLock { board in
      if board.count < Self.boardSize {
        board.append(posted)
      } else {
        board[random.number(below: board.count)] = posted
      }
    }
  }

  func pinned(_ random: inout Random) -> Posted? {
    board.withLock { $0.isEmpty ? nil : $0[random.number(below: $0.count)] }
  }
}
