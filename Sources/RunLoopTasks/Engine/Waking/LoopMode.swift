import Foundation
import Synchronization

/// A mode of a loop, or the common modes.
///
/// A loop never loses a mode, and neither does its scheduler.
final class LoopMode: @unchecked Sendable {
  // Unchecked, because `tasks` and `isCommon` belong to the loop's own thread.

  let name: RunLoop.Mode
  let id: ModeID
  /// Does nothing. A run of the mode lasts as long as the mode has it.
  let keeper = LoopSource()
  // Exclusivity is not checked at run time, as in `Scheduler`.
  @exclusivity(unchecked) var tasks = ModeTasks()
  /// The mode is known to be common. It then remains common.
  var isCommon = false
  /// The mode has its keeper, because tasks or unread messages may be there for it.
  ///
  /// Any thread attaches, with the lock, and only the loop's own thread detaches. It may rely on `true` without the
  /// lock, because that is stored, and released, after the keeper has come into the mode:
  ///
  ///     sender        lock ─ keeper ─ true ─ unlock
  ///     own thread                      └ schedules without the lock, and runs the loop
  private let attached = Atomic(false)

  init(_ name: RunLoop.Mode, _ id: ModeID) { (self.name, self.id) = (name, id) }

  var isAttached: Bool { attached.load(ordering: .acquiring) }

  func attach(to loop: any HostLoop) {
    loop.add(keeper, to: name)
    attached.store(true, ordering: .releasing)
  }

  func detach(from loop: any HostLoop) {
    attached.store(false, ordering: .relaxed)
    loop.remove(keeper, from: name)
  }
}
