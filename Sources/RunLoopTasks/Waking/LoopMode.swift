import Foundation
import Synchronization

/// A mode of a loop, or the common modes.
///
/// A loop never loses a mode, and neither does its scheduler.
final class LoopMode: @unchecked Sendable {
  // Unchecked, because `isCommon` belongs to the loop's own thread, and the lock of `LoopAttachment` guards `isObserved`
  // and the calls to `host`.

  let name: RunLoop.Mode
  let id: ModeID
  let host: any HostMode
  /// Whether the package observes the mode.
  var isObserved = false
  /// Whether a run of the mode has called the scheduler back. Until then, a run may be under way that began before the
  /// mode was observed, and that goes to sleep without a check:
  ///
  ///     run of the mode   entry ─ beforeWaiting ─ callout ──────────────────────── sleep
  ///     nested run                                  └ … ─ exit ─┘
  ///     other thread                                        └ first message: observes the mode, and makes it due
  let hasBeenSeenRunning = Atomic(false)
  /// Whether a mode is known to be common. It then remains common.
  var isCommon = false
  /// Whether runs of the mode are kept alive, because tasks or unread messages may be there for it.
  ///
  /// Any thread attaches, with the lock. Only the loop's own thread detaches, so it may rely on `true` without the lock.
  private let attached = Atomic(false)

  init(_ name: RunLoop.Mode, _ id: ModeID, _ host: any HostMode) {
    (self.name, self.id, self.host) = (name, id, host)
  }

  var isAttached: Bool {
    @inline(__always) get { attached.load(ordering: .relaxed) }
  }

  func attach() {
    attached.store(true, ordering: .relaxed)
    host.attach()
  }

  func detach() {
    attached.store(false, ordering: .relaxed)
    host.detach()
  }
}

/// The two modes that nearly all tasks have, recognized without hashing.
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
