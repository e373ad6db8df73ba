import Synchronization

/// From whom a loop takes tasks and commands.
///
/// The loop's own thread closes the door with the lock of the inbox held. A sender looks at it with the lock that guards
/// what it sends: that of the inbox, or that of a source. So what was let in is there for the next round, which takes
/// that lock, and whoever comes after the round finds the door closed:
///
///     own thread     closes the door ─ lock ─ takes all ─ unlock
///     one sender       lock ─ is let in ─ unlock                        is taken in this round
///     another                                           lock ─ is refused ─ unlock
enum Door: UInt8, AtomicRepresentable {
  case open
  case closedToOtherThreads
  case closed
}
