import Foundation
import Synchronization

/// A mode of a loop, or the common modes.
///
/// A loop never loses a mode, and neither does its scheduler.
final class LoopMode: @unchecked Sendable {
  // Unchecked, because `tasks` belongs to the loop's own thread. So does `isCommon`, but that thread changes it with
  // the lock of the inbox, and others read it with that lock.

  let name: RunLoop.Mode
  let id: ModeID
  // Exclusivity is not checked at run time, as in `Scheduler`.
  @exclusivity(unchecked) var tasks = ModeTasks()
  /// The mode is known to be common. It then remains common.
  var isCommon: Bool
  /// The mode has the keeper, because tasks or unread messages may be there for its runs. For `.common`: all modes that
  /// are known to be common have it.
  ///
  /// Any thread attaches, and only the loop's own thread detaches, both with the lock. That thread may rely on `true`
  /// without the lock: the keeper comes into the mode before `true` is stored.
  ///
  ///     sender        lock ─ keeper ─ true ─ unlock
  ///     own thread                      └ schedules without the lock, and runs the loop
  private let attached = Atomic(false)

  init(_ name: RunLoop.Mode, _ id: ModeID) { (self.name, self.id, isCommon) = (name, id, id == .default) }

  var isAttached: Bool {
    get { attached.load(ordering: .acquiring) }
    set { attached.store(newValue, ordering: .releasing) }
  }
}
