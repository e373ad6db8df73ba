import Foundation

/// The modes that the loop's own thread has used, with their numbers and keep-alives.
///
/// The table never removes a mode, and neither does the loop.
struct ModeTable {
  private var ids: [RunLoop.Mode: ModeID] = [:]
  private var modes: [RunLoop.Mode] = []
  private var keepAlives: [KeepAlive] = []
  /// Whether each mode is known to be a common mode. A mode may become a common mode at any time and then remains one.
  private var common: [Bool] = []
  /// The mode of the latest activity, and the string that CoreFoundation has for its name. It lives as long as the
  /// loop.
  var latest: (name: ObjectIdentifier, mode: ModeID)?

  func mode(_ id: ModeID) -> RunLoop.Mode { modes[Int(id.index)] }
  func keepAlive(_ id: ModeID) -> KeepAlive { keepAlives[Int(id.index)] }

  func id(of mode: RunLoop.Mode) -> ModeID? { ids[mode] }

  /// Stops the program if there is no number for another mode.
  func requireRoom(for mode: RunLoop.Mode) {
    let limit = Int(ModeID.several.index)
    guard modes.count < limit else {
      fatalError(
        """
        A run loop can have tasks in \(limit) modes, and the mode "\(mode.rawValue)" is one more; a loop keeps every \
        mode, so use the same few modes again instead of a new one for each piece of work
        """)
    }
  }

  mutating func add(_ mode: RunLoop.Mode, _ id: ModeID, _ keepAlive: KeepAlive) {
    ids[mode] = id
    modes.append(mode)
    keepAlives.append(keepAlive)
    common.append(false)
  }

  func isKnownToBeCommon(_ id: ModeID) -> Bool { common[Int(id.index)] }
  mutating func noteCommon(_ id: ModeID) { common[Int(id.index)] = true }
}

/// The two modes that nearly all tasks have, told apart without hashing.
struct UsualModes {
  private let `default` = RunLoop.Mode.default.identity
  private let common = RunLoop.Mode.common.identity

  @inline(__always)
  func id(of mode: RunLoop.Mode) -> ModeID? {
    let identity = mode.identity
    if identity == `default` { return .default }
    return identity == common ? .common : nil
  }
}
