import Synchronization

/// What other threads must know of the runs, or may find out about them.
final class RunFlags: Sendable {
  /// Whether runs may be under way that began before their modes were observed, around those that the package knows.
  ///
  /// It is set when a mode is first observed inside a run, or becomes common, or such a run shows itself. Nothing tells
  /// when such a run ends. The flag is cleared where the loop's thread is known to be outside any run: when a task
  /// comes in that attaches a mode, and after a driven pass. On a loop that never leaves its run, it stays set.
  ///
  /// Any thread sets it: a sender with the lock, and a thread that makes a mode common before it wakes the loop. Only the
  /// loop's own thread acts on it, at the `entry` and the `exit` of a run and before a sleep, where it has read all
  /// messages.
  ///
  ///     hidden run of A   entry ─ check ─ callout ──────────────────────────────────── sleep
  ///     known run of B                      └ entry ─ first task for A … ─ exit ┘
  ///     areRunsHidden     false ──────────────────────── true ─────────────│────────── …
  ///                                                                        └ makes A due, which nothing else would
  let areRunsHidden = Atomic(false)

  /// Whether the loop may ignore a wake-up and then sleep: after the `exit` of a nested run until that run has returned.
  /// Otherwise it looks for messages before it sleeps, or the wake-up ends the sleep. (Not if a run of a mode that the
  /// package does not observe consumes it after the last check: a documented limitation.)
  ///
  ///     outer run      … ─ check ─ callout ───────────────────────────────────── sleep
  ///     nested run                   └ entry ─ … ─ exit ─ other observers ─┘
  ///     mayIgnore…       false ───────────────────────│ true ─────────────────────── false when it wakes
  ///     other thread                                    └ message: makes modes due, and does not rely on wakeUp()
  ///
  /// The loop's thread sets it with the lock, so that a sender sees it, or the loop's thread reads the message
  /// afterwards. It clears it without: a sender that sees the old value makes modes due in vain.
  let mayIgnoreWakeUps = Atomic(false)

  /// The number of attached modes. It is changed with the lock, before a mode counts as attached. The loop's thread
  /// reads it without: of a mode that a sender attaches it knows when it has read the message, with the lock.
  let attachedModes = Atomic(0)
}
