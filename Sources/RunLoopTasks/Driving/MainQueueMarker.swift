import Foundation

/// Finds out whether a pass of the main loop has served blocks of the main queue.
///
/// Nothing tells that directly. But a loop that has served the queue in one round does not look at it in the next one
/// before it goes to sleep. A marker block, added to the queue in a round that does not poll, therefore tells about the
/// round before:
///
///     round 1: a block is served   round 2: + marker, which is left, and the loop goes to sleep
///     round 1: nothing is ready    round 2: + marker, which is served        round 3: it goes to sleep
///     round 1: a timer is served   round 2: + marker, served behind blocks   round 3: it goes to sleep
///
/// The last two look the same. A pass in which a timer has fired therefore counts as one that may have served blocks,
/// unless one had fired in the pass before: some timers fire in each pass.
///
/// If a pass begins with a marker in the queue, blocks may be behind it, and only the next pass can tell. If that pass
/// does not serve the marker either, the loop does not serve the queue, because the caller is itself a block of it.
final class MainQueueMarker: Sendable {
  private struct State {
    var isInQueue = false
    /// Whether it was in the queue when the pass began.
    var wasInQueue = false
    var wasAdded = false
    /// Whether a timer fired in the latest pass that is over.
    var timerHasFired = false
    var mayHaveServedBlocks = false
  }

  private let state = Locked(State())

  /// Whether the latest pass may have served blocks, so that there may be more.
  var mayHaveServedBlocks: Bool { state.withLock { $0.mayHaveServedBlocks } }

  func beginPass() {
    state.withLock { $0 = State(isInQueue: $0.isInQueue, wasInQueue: $0.isInQueue, timerHasFired: $0.timerHasFired) }
  }

  /// Adds the marker, once in a pass and unless it is in the queue.
  func add() {
    let mustAdd = state.withLock { state in
      guard !state.wasInQueue, !state.wasAdded else { return false }
      (state.isInQueue, state.wasAdded) = (true, true)
      return true
    }
    if mustAdd { DispatchQueue.main.async { [state] in state.withLock { $0.isInQueue = false } } }
  }

  func noteSleep(timerHasFired: Bool) {
    state.withLock { state in
      state.mayHaveServedBlocks = state.isInQueue != state.wasInQueue || timerHasFired && !state.timerHasFired
      state.timerHasFired = timerHasFired
    }
  }
}
