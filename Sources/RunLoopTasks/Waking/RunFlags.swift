import Synchronization

/// What is known of the runs, for the threads that send messages and for those that make a mode common.
final class RunFlags: Sendable {
  /// Runs may be under way that began before their modes were observed or became common modes, outside those that the
  /// package knows.
  ///
  /// It is set when a mode is first observed inside a run, or becomes common, or such a run is recognized. Nothing
  /// tells when such a run ends. The flag stays set until the loop's own thread, outside any run, attaches a mode for a
  /// task, or has driven a pass.
  ///
  /// Any thread sets it: a sender with the lock, and a thread that makes a mode common under CoreFoundation's lock, for
  /// which the loop waits when it wakes. Only the loop's own thread acts on it, at activities, where it has read all
  /// messages. So one of the two locks orders what other threads store before the activity at which it matters. The
  /// loop's thread also stores `nextSleep` without a lock; what a sender then reads too early or too late is told at
  /// `endsByTimer` and at `LoopMode.armedDate`.
  ///
  ///     hidden run of A   entry ─ callout ──────────────────────────────────────────── sleep, without a check
  ///     known run of B              └ entry ─ first task for A … ─ exit ┘
  ///     areRunsHidden     false ──────────────── true ─────────────│────────── …
  ///                                                                └ arms A, which nothing else would
  let areRunsHidden = Atomic(false)

  /// What keeps the loop from sleeping on what comes in now. The loop's own thread sets it at each activity, when a
  /// nested run leaves, and when it finds that it is in a hidden run or in none. Any thread that notes hidden runs sets
  /// it to `endsByTimer`.
  let nextSleep = Atomic(NextSleep.comesAfterCheck)

  /// Notes that hidden runs may be under way, and may be about to sleep.
  func noteHiddenRuns() {
    areRunsHidden.store(true, ordering: .relaxed)
    nextSleep.store(.endsByTimer, ordering: .relaxed)
  }

  /// Notes that the loop's thread, which calls this, is outside any run.
  func noteThatNoRunIsUnderWay() {
    areRunsHidden.store(false, ordering: .relaxed)
    nextSleep.store(.comesAfterCheck, ordering: .relaxed)
  }
}

/// What keeps a loop from sleeping on what comes in.
///
/// The loop's own thread only asks whether a check comes (1). In 2 and 3 alike it arms the mode and wakes the loop.
/// Only senders tell 2 from 3, because in 2 a wake-up is enough and costs less.
///
///     outer run    … ─ check ─ callout ───────────────────────────────────────────────── sleep
///     nested run                 └ entry ─ … ─ check ─ sleep ─ … ─ exit ─ later observers ┘
///                  1         2     1                 2         1        3                    1 when it wakes
enum NextSleep: UInt8, AtomicRepresentable {
  /// 1: The loop looks at the tasks and at the messages once more before it sleeps. It is at work in a run, or outside.
  case comesAfterCheck
  /// 2: The innermost run is past its last check. A wake-up ends the sleep, unless a run of a mode that the package
  /// does not observe consumes it: see "An observer after the package's own observer" in the limitations.
  case endsByWakeUp
  /// 3: A run may be past its last check, and the loop may ignore a wake-up: a run nested in it has left, but perhaps
  /// not returned, or the run is hidden. Only an armed mode ends the sleep. Nothing tells when the nested run has
  /// returned.
  ///
  /// When a nested run leaves, the loop's thread sets this before its last look at the messages, so that a sender sees
  /// it, or the loop's thread sees the message. A sender that sees it too late arms modes without need.
  case endsByTimer
}
