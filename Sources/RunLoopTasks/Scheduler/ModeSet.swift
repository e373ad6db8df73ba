import CoreFoundation
import Foundation

/// A mode of the loop, as its own thread sees it.
final class ModeEntry {
  let mode: RunLoop.Mode
  let anchor: ModeAnchor
  /// The lanes that have tasks for this mode.
  var lanes = PerTiming<[Lane]> { _ in [] }
  /// What was born before this has seen a run of the mode being left.
  var leftAt: UInt64 = 0
  /// A mode may join the common modes at any time, and never leaves them.
  var isKnownToBeCommon: Bool

  init(_ mode: RunLoop.Mode, _ anchor: ModeAnchor) {
    self.mode = mode
    self.anchor = anchor
    self.isKnownToBeCommon = mode == .default
  }

  var isEmpty: Bool { lanes.nextLoopBegan.isEmpty && lanes.currentLoopEnded.isEmpty && lanes.idle.isEmpty }
}

/// A set of modes that tasks have, with a lane for each timing.
final class ModeSet {
  let entries: [ModeEntry]
  private(set) lazy var lanes = PerTiming { Lane($0, self) }

  init(_ entries: [ModeEntry]) { self.entries = entries }

  var isEmpty: Bool { lanes.nextLoopBegan.isEmpty && lanes.currentLoopEnded.isEmpty && lanes.idle.isEmpty }

  /// What was born before this has seen a run in one of the modes being left.
  var leftAt: UInt64 { entries.reduce(0) { max($0, $1.leftAt) } }
}
