import Foundation

/// What the closure of a task captures. Nothing else holds it, so that its end is the closure's.
final class Token: Sendable {
  private let piece: Piece
  private let wish: Wish
  private let window: Window?

  init(_ piece: Piece, _ wish: Wish, _ window: Window?) {
    Live.closures.add(1)
    (self.piece, self.wish, self.window) = (piece, wish, window)
  }

  deinit {
    piece.release()
    Live.closures.add(-1)
    window?.close()
  }

  func run() {
    piece.begin()
    var random = Random(seed: wish.seed)
    wish.errand.perform(on: piece.loop, &random)
  }
}

/// How many pieces one thread may have under way. It waits for the others, and thereby for each wake-up of a loop that is due.
final class Window: Sendable {
  private let free = DispatchSemaphore(value: 0)

  init(_ size: Int) { for _ in 0..<size { free.signal() } }

  func open(_ what: @autoclosure () -> String) { free.wait(for: what()) }

  func close() { free.signal() }
}
