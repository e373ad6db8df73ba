import Synchronization

/// The runs of a loop that the package knows. Only the loop's own thread uses them.
struct Runs {
  struct Run {
    let mode: ModeID
    /// The modes in which the run directly around this one, or a hidden one, relied on a wake-up when this one began.
    let owedWakeUps: [ModeID]
    /// What has run in this turn.
    var ran = Ran.nothing
    /// Whether the budget has ended a batch of this turn early.
    var isCutShort = false
    /// The number of successive turns that began although no task could run.
    var fruitlessTurns = 0

    mutating func noteTurn(isFruitless: Bool) { fruitlessTurns = isFruitless ? fruitlessTurns + 1 : 0 }
  }

  enum Ran {
    case nothing
    /// Tasks, but no idle ones.
    case tasks
    /// An idle task, and perhaps others.
    case idleTask
  }

  /// The number of fruitless turns after which the loop sleeps for a short time before the next one.
  static let turnsBeforeBackoff = 4

  /// The innermost run is the last.
  private var stack: [Run] = []

  /// Whether the innermost run may be past its last check, so that it sleeps without another look at the tasks. What
  /// comes in or goes away then has to end that sleep itself.
  ///
  ///     outer run  … ─ check ─ callout ────────────────────────────────────── sleep
  ///     nested run               └ entry ─ … ─ check ─ sleep ─ … ─ exit ┘
  ///     isPastCheck      true ──────┘ false ─ … ── true ──┘ … ──── true ──────── false when it wakes
  var isPastCheck = false

  var isEmpty: Bool { stack.isEmpty }
  var depth: Int { stack.count }
  var innermost: ModeID? { stack.last?.mode }

  subscript(index: Int) -> Run {
    @inline(__always) _read { yield stack[index] }
    @inline(__always) _modify { yield &stack[index] }
  }

  /// The innermost run. There must be one.
  var current: Run {
    @inline(__always) _read { yield stack[stack.count - 1] }
    @inline(__always) _modify { yield &stack[stack.count - 1] }
  }

  mutating func enter(_ mode: ModeID, owedWakeUps: [ModeID]) {
    isPastCheck = false
    stack.append(Run(mode: mode, owedWakeUps: owedWakeUps))
  }

  mutating func leave() -> Run { stack.removeLast() }

  /// Other threads have sent messages, so no turn of any run is fruitless any more.
  mutating func forgetFruitlessTurns() {
    for index in stack.indices { stack[index].fruitlessTurns = 0 }
  }
}

/// What other threads must know of the runs, or may find out about them.
final class RunFlags: Sendable {
  /// Whether runs may be under way that began before their modes were observed, around those that the package knows.
  ///
  /// It is set when a mode is first observed inside a run, or becomes common, or such a run shows itself. It is cleared
  /// outside any run.
  ///
  ///     hidden run of A   entry ─ check ─ callout ──────────────────────────────────── sleep
  ///     known run of B                      └ entry ─ first task for A … ─ exit ┘
  ///     areRunsHidden     false ──────────────────────── true ─────────────│────────── …
  ///                                                                        └ makes A due, which nothing else would
  let areRunsHidden = Atomic(false)

  /// Whether a nested run has been left and no run has shown itself since. The loop ignores wake-ups until the nested
  /// run has returned, and then the outer run may sleep.
  ///
  ///     outer run         … ─ check ─ callout ───────────────────────────────────── sleep
  ///     nested run                      └ entry ─ … ─ exit ─ other observers ─┘
  ///     mayIgnoreWakeUps    false ───────────────────────│ true ──────────────────────── false when it wakes
  ///     other thread                                       └ message: makes its modes due, and does not rely on wakeUp()
  let mayIgnoreWakeUps = Atomic(false)

  /// The number of attached modes.
  let attachedModes = Atomic(0)
}
