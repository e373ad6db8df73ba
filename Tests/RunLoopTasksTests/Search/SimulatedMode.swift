import Foundation

@testable import RunLoopTasks

/// A mode of a simulated loop, or the common modes.
final class SimulatedMode {
  let name: RunLoop.Mode
  var hasUserTimer = false
  var isObserved = false
  var isAttached = false
  var isCommonMode = false
  /// It has become common, and the engine does not know that yet.
  var hasProbe = false
  /// What the engine wants to be called back for.
  var callBack: (() -> Void)?

  init(_ name: RunLoop.Mode) { self.name = name }

  /// Whether tasks in some modes run here.
  func serves(_ modes: [RunLoop.Mode]) -> Bool { modes.contains(name) || isCommonMode && modes.contains(.common) }
}
