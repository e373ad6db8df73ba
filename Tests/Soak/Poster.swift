import Foundation
import RunLoopTasks

/// A scheduled piece of work.
struct Posted: Sendable {
  let piece: Piece
  let task: RunLoopTask

  func cancel() { piece.cancel(task) }
}

/// One who schedules, on one thread, and knows in what order.
struct Poster {
  private struct LineID: Hashable {
    let loop: Int
    let timing: RunLoopTask.Timing?
    let modes: [RunLoop.Mode]
    let key: Int?
  }

  private struct LineState {
    let isEnding: Flag
    let line = Line()
    var next = 1
    weak var newest: Piece?
    weak var former: Piece?
    weak var newestTask: RunLoopTask?
  }

  private static let numbers = Counter()
  private static let mostLines = 1_000

  let number = Self.numbers.add()
  private var lines: [LineID: LineState] = [:]

  /// Schedules on any thread.
  mutating func post(_ wish: Wish, to loop: Loop, in window: Window? = nil) -> Posted {
    let hadEnded = loop.hasEnded.isSet
    let (piece, id) = piece(wish, loop)
    let task = schedule(piece, wish, window)
    noteNewest(task, id, on: loop)
    (hadEnded ? Figure.late : .posted).count()
    if hadEnded, task.state != .cancelled || !piece.isReleased { piece.complain("was taken by a loop that had ended") }
    return enter(piece, task)
  }

  /// Schedules on the loop's own thread, a closure that is not `Sendable`.
  mutating func postHere(_ wish: Wish, to loop: Loop) -> Posted {
    let (piece, id) = piece(wish, loop, isBoundToThread: true)
    let task = scheduleHere(piece, wish)
    noteNewest(task, id, on: loop)
    Figure.postedHere.count()
    return enter(piece, task)
  }

  private func enter(_ piece: Piece, _ task: RunLoopTask) -> Posted {
    let posted = Posted(piece: piece, task: task)
    piece.loop.world.ledger.enter(posted)
    return posted
  }

  /// Opens the account.
  private mutating func piece(_ wish: Wish, _ loop: Loop, isBoundToThread: Bool = false) -> (Piece, LineID) {
    if lines.count >= Self.mostLines { lines = lines.filter { !$1.isEnding.isSet } }
    let isOwnKey = wish.key?.owner == number
    let id =
      isOwnKey
      ? LineID(loop: loop.number, timing: nil, modes: [], key: wish.key?.number)
      : LineID(loop: loop.number, timing: wish.timing, modes: wish.modes, key: nil)
    var state = lines[id] ?? LineState(isEnding: loop.isEnding)
    // One with a key of all may take another's place in line, and give its own to any other.
    let isInLine = wish.key == nil || isOwnKey
    let piece = Piece(wish, on: loop, isInLine ? state.line : Line(), state.next, isBoundToThread: isBoundToThread)
    state.next += 1
    if isOwnKey {
      state.newest?.mayBeReplaced.set()
      (state.former, state.newest) = (state.newest, piece)
    } else if !isInLine {
      piece.mayBeReplaced.set()
    }
    lines[id] = state
    return (piece, id)
  }

  /// Takes note of the latest task with a key. On the loop's own thread, the one before is not pending any more.
  private mutating func noteNewest(_ task: RunLoopTask, _ id: LineID, on loop: Loop) {
    guard id.key != nil, var state = lines[id] else { return }
    if loop.isOwnThread, let former = state.former, let formerTask = state.newestTask, formerTask.state == .pending,
      !former.mayBeRekeyed.isSet
    {
      former.complain("is pending beside one with its key")
    }
    state.newestTask = task
    lines[id] = state
  }

  // The token must be the closure's alone when these return.

  private func schedule(_ piece: Piece, _ wish: Wish, _ window: Window?) -> RunLoopTask {
    let token = Token(piece, wish, window)
    if piece.loop.isMain, wish.seed.isMultiple(of: 2) {
      return MainActor.perform(when: wish.timing, forModes: wish.modes, coalescedBy: wish.key) { token.run() }
    }
    return piece.loop.queue.perform(when: wish.timing, forModes: wish.modes, coalescedBy: wish.key) { token.run() }
  }

  private func scheduleHere(_ piece: Piece, _ wish: Wish) -> RunLoopTask {
    let token = Token(piece, wish, nil)
    let task: RunLoopTask = RunLoop.current.perform { token.run() }
    task.when(wish.timing).forModes(wish.modes)
    if let key = wish.key { task.coalesced(by: key) }
    return task
  }
}
