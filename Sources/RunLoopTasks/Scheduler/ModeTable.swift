import CoreFoundation
import Foundation

/// What the loop's own thread knows of the modes: their numbers, their keep-alives, and the mode in which the loop runs.
///
/// Modes stay, as the loop itself keeps every mode that it has met.
struct ModeTable {
  private var ids: [RunLoop.Mode: ModeID] = [:]
  private var modes: [RunLoop.Mode] = []
  private var keepAlives: [KeepAlive] = []
  /// Whether the thread knows a mode's keep-alive to be attached. Other threads attach, but only this one detaches.
  private var attached: [Bool] = []
  private var attachedCount = 0
  /// A mode may join the common modes at any time, and never leaves them.
  private var common: [Bool] = []
  /// The mode of the latest activity, and the string that CoreFoundation has for its name. The pointer is only compared.
  private var current: (name: UnsafeMutableRawPointer, mode: ModeID)?

  /// Whether no keep-alive is known to be attached.
  var isNothingAttached: Bool { attachedCount == 0 }

  func mode(_ id: ModeID) -> RunLoop.Mode { modes[Int(id.index)] }
  func keepAlive(_ id: ModeID) -> KeepAlive { keepAlives[Int(id.index)] }

  /// The number of a mode. The two that most tasks have are told apart without hashing.
  func id(of mode: RunLoop.Mode) -> ModeID? {
    if mode.isIdentical(to: .default) { return .default }
    if mode.isIdentical(to: .common) { return .common }
    return ids[mode]
  }

  mutating func add(_ mode: RunLoop.Mode, _ id: ModeID, _ keepAlive: KeepAlive) {
    ids[mode] = id
    modes.append(mode)
    keepAlives.append(keepAlive)
    attached.append(false)
    common.append(mode == .default)
  }

  @inline(__always)
  func isAttached(_ id: ModeID) -> Bool { attached[Int(id.index)] }

  mutating func setAttached(_ id: ModeID, _ isAttached: Bool) {
    guard attached[Int(id.index)] != isAttached else { return }
    attached[Int(id.index)] = isAttached
    attachedCount += isAttached ? 1 : -1
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
