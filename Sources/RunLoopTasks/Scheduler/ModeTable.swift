import CoreFoundation
import Foundation

/// What the loop's own thread knows of the modes: their numbers, their keep-alives, and the mode in which the loop runs.
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
  /// The mode of the latest activity, and the string that CoreFoundation has for its name. The pointer is only compared.
  private var current: (name: UnsafeMutableRawPointer, mode: ModeID)?

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

  /// The mode of the latest activity, if CoreFoundation names it by the same string.
  @inline(__always)
  func current(named name: CFString) -> ModeID? {
    guard let current, current.name == Unmanaged.passUnretained(name).toOpaque() else { return nil }
    return current.mode
  }

  mutating func setCurrent(_ name: CFString, _ mode: ModeID) {
    current = (Unmanaged.passUnretained(name).toOpaque(), mode)
  }
}
