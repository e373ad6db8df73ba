import Foundation

/// What the loop's own thread knows of the modes: their numbers, and their keep-alives.
///
/// Modes stay, as the loop itself keeps every mode that it has met.
struct ModeTable {
  private let defaultIdentity = RunLoop.Mode.default.identity
  private let commonIdentity = RunLoop.Mode.common.identity
  private var ids: [RunLoop.Mode: ModeID] = [:]
  private var modes: [RunLoop.Mode] = []
  private var keepAlives: [KeepAlive] = []
  /// A mode may join the common modes at any time, and never leaves them.
  private var common: [Bool] = []
  func mode(_ id: ModeID) -> RunLoop.Mode { modes[Int(id.index)] }
  func keepAlive(_ id: ModeID) -> KeepAlive { keepAlives[Int(id.index)] }

  /// The number of a mode. The two that most tasks have are told apart without hashing.
  func id(of mode: RunLoop.Mode) -> ModeID? {
    let identity = mode.identity
    if identity == defaultIdentity { return .default }
    if identity == commonIdentity { return .common }
    return ids[mode]
  }

  mutating func add(_ mode: RunLoop.Mode, _ id: ModeID, _ keepAlive: KeepAlive) {
    ids[mode] = id
    modes.append(mode)
    keepAlives.append(keepAlive)
    common.append(mode == .default)
  }

  func isKnownToBeCommon(_ id: ModeID) -> Bool { common[Int(id.index)] }
  mutating func noteCommon(_ id: ModeID) { common[Int(id.index)] = true }
}
