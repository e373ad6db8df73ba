import Foundation

/// A mode of the loop, as its own thread sees it.
final class ModeEntry {
  let mode: RunLoop.Mode
  let anchor: ModeAnchor
  /// The sets that have this mode: the one of this mode alone, and those of several modes that have tasks. The scheduler owns
  /// them all.
  @exclusivity(unchecked) private var sets: [Unmanaged<ModeSet>] = []
  /// How many lanes have tasks for this mode.
  @exclusivity(unchecked) var openLanes = 0
  /// Whether the scheduler knows the runs of this mode that have begun since, or will hear of them.
  @exclusivity(unchecked) var isFollowed = false
  /// `nextOrder` when a run of the mode was last left. Older tasks were there, and missed their turn.
  @exclusivity(unchecked) var lastExit: UInt64 = 0
  /// Wakes the loop from its next sleep in this mode.
  @exclusivity(unchecked) var wakeTimer: WakeTimer?
  /// A mode may join the common modes at any time, and never leaves them.
  @exclusivity(unchecked) var isKnownToBeCommon: Bool

  init(_ mode: RunLoop.Mode, _ anchor: ModeAnchor) {
    self.mode = mode
    self.anchor = anchor
    self.isKnownToBeCommon = mode == .default
  }

  var isEmpty: Bool { openLanes == 0 }

  func hasTasks(_ timing: RunLoopTask.Timing) -> Bool {
    var hasTasks = false
    forEachSet { if !$0[timing].isEmpty { hasTasks = true } }
    return hasTasks
  }

  func add(_ set: ModeSet) { sets.append(.passUnretained(set)) }

  func remove(_ set: ModeSet) { sets.removeAll { $0.toOpaque() == Unmanaged.passUnretained(set).toOpaque() } }

  /// Calls `body`, which must not add or remove any, with each set that has this mode; no reference is counted.
  @inline(__always)
  func forEachSet(_ body: (ModeSet) -> Void) {
    for index in sets.indices { sets[index].borrow(body) }
  }
}

/// A set of modes that tasks have, with a lane for each timing.
final class ModeSet {
  let entries: [ModeEntry]
  let nextLoopBegan = Lane(.nextLoopBegan)
  let currentLoopEnded = Lane(.currentLoopEnded)
  let idle = Lane(.idle)
  /// How many of the lanes have tasks.
  @exclusivity(unchecked) var openLanes = 0

  init(_ entries: [ModeEntry]) {
    self.entries = entries
    for timing in RunLoopTask.Timing.allCases { self[timing].owner = .passUnretained(self) }
  }

  subscript(timing: RunLoopTask.Timing) -> Lane {
    switch timing {
    case .nextLoopBegan: nextLoopBegan
    case .currentLoopEnded: currentLoopEnded
    case .idle: idle
    }
  }

  /// Calls `body` with each of the modes; no reference is counted.
  @inline(__always)
  func forEachEntry(_ body: (ModeEntry) -> Void) {
    for index in entries.indices { Unmanaged.passUnretained(entries[index]).borrow(body) }
  }

  /// `nextOrder` when a run in one of the modes was last left.
  var lastExit: UInt64 { entries.reduce(0) { max($0, $1.lastExit) } }
}
