import Synchronization

/// The runs of a loop that the package knows. Only the loop's own thread uses them.
struct Runs {
  struct Run {
    let mode: ModeID
    /// Whether the run around this one was past its last check when this one began, so that it is again afterwards.
    let isAroundPastCheck: Bool
    /// The modes of runs around this one that the package kept alive when this one began. They stay attached after this
    /// one, even without tasks: those runs have to wake once more to find their modes empty.
    let keptAliveAround: [ModeID]
    /// What has run in this pass.
    var ran = Ran.nothing
    /// Whether the budget or a slice has ended a batch of this pass early.
    var isCutShort = false
    /// The number of successive checks at which no task could run, and the loop began another pass all the same.
    var fruitlessPasses = 0

    mutating func endPass(isFruitless: Bool) {
      (ran, isCutShort) = (.nothing, false)
      fruitlessPasses = isFruitless ? fruitlessPasses + 1 : 0
    }

    mutating func noteTask(isIdle: Bool) {
      if isIdle { ran = .idleTask } else if ran == .nothing { ran = .tasks }
    }
  }

  enum Ran {
    case nothing
    /// Tasks, but no idle ones.
    case tasks
    /// An idle task, and perhaps others.
    case idleTask
  }

  /// The innermost run is the last.
  private var stack: [Run] = []

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

  mutating func enter(_ run: Run) { stack.append(run) }

  mutating func leave() -> Run { stack.removeLast() }

  /// Other threads have sent messages, so no pass of any run is fruitless any more.
  mutating func forgetFruitlessPasses() {
    for index in stack.indices { stack[index].fruitlessPasses = 0 }
  }
}

/// What is known of the runs, for the threads that send messages and for those that make a mode common.
final class RunFlags: Sendable {
  /// Whether runs may be under way that began before their modes were observed, around those that the package knows.
  ///
  /// It is set when a mode is first observed inside a run, or becomes common, or such a run shows itself. Nothing tells
  /// when such a run ends. The flag stays set until the loop's own thread schedules a task outside any run, or drives an
  /// outermost pass.
  ///
  /// Any thread sets it: a sender with the lock, and a thread that makes a mode common under CoreFoundation's lock, for
  /// which the loop waits when it wakes. Only the loop's own thread acts on it, at the `exit` of a run and before a
  /// sleep, where it has read all messages. So one of the two locks orders the accesses to it and to `nextSleep`.
  ///
  ///     hidden run of A   entry ─ check ─ callout ──────────────────────────────────── sleep
  ///     known run of B                      └ entry ─ first task for A … ─ exit ┘
  ///     areRunsHidden     false ──────────────────────── true ─────────────│────────── …
  ///                                                                        └ makes A due, which nothing else would
  let areRunsHidden = Atomic(false)

  /// What keeps the loop from sleeping on what comes in now. The loop's own thread sets it at each activity and when a
  /// nested run leaves; any thread that notes hidden runs sets it to `endsByDueMode`.
  let nextSleep = Atomic(NextSleep.comesAfterCheck)

  /// The number of attached modes. It is changed with the lock, before a mode counts as attached. The loop's thread
  /// reads it without: of a mode that a sender attaches it knows when it has read the message, with the lock.
  let attachedModes = Atomic(0)

  /// Notes that runs may be under way that began before their modes were observed, and may be about to sleep.
  func noteHiddenRuns() {
    areRunsHidden.store(true, ordering: .relaxed)
    nextSleep.store(.endsByDueMode, ordering: .relaxed)
  }

  /// Notes that the loop's thread, which calls this, is outside any run.
  func noteThatNoRunIsUnderWay() {
    areRunsHidden.store(false, ordering: .relaxed)
    nextSleep.store(.comesAfterCheck, ordering: .relaxed)
  }
}

/// How it comes that a loop does not sleep on what comes in.
///
///     outer run    … ─ check ─ callout ───────────────────────────────────────────────── sleep
///     nested run                 └ entry ─ … ─ check ─ sleep ─ … ─ exit ─ later observers ┘
///                  1         2     1                 2         1        3                    1 when it wakes
enum NextSleep: UInt8, AtomicRepresentable {
  /// 1: The loop looks at the tasks and at the messages once more before it sleeps. It is at work in a run, or outside.
  case comesAfterCheck
  /// 2: The innermost run is past its last check. A wake-up ends the sleep, unless a run of a mode that the package does
  /// not observe consumes it, which is a documented limitation.
  case endsByWakeUp
  /// 3: A run may be past its last check, and the loop may ignore a wake-up, because a run nested in it has left, but
  /// not returned. Only a mode that is due ends the sleep. Nothing tells when the nested run has returned.
  ///
  /// The loop's thread sets this before its last look at the messages, so that a sender sees it, or the loop's thread
  /// sees the message. A sender that sees it too late makes modes due in vain.
  case endsByDueMode
}
