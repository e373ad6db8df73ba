import CoreFoundation
import Foundation
import Synchronization

/// Runs the tasks of one run loop.
///
/// There is one for each loop that the package was used on. Its state is in two parts:
///
/// - What only the loop's own thread touches, without any lock: the pending tasks in their lanes, and what is known of the
///   runs under way. Scheduling, amending, cancelling and running on that thread need nothing else.
/// - `attachment`, behind a lock: what is attached to the loop, and the mail from other threads. The loop's thread takes
///   the lock when a mode gets its first task or loses its last one, and when there is mail.
///
/// This file holds the state. Who changes it: `Scheduler+Scheduling` what comes in, `Scheduler+Activities` what the loop
/// calls, `Scheduler+Running` what goes out; `Scheduler+Waking` keeps the loop from sleeping on work, and `Scheduler+Unheard`
/// knows of runs that were under way before the package listened.
final class Scheduler: @unchecked Sendable {
  // Unchecked, because all variables belong to the loop's own thread; the constants are safe anywhere.

  let attachment: Locked<Attachment>
  let hasMail = Atomic(false)
  /// Held while another thread wakes the loop to read its mail, and taken under the lock of `attachment`, so that the loop cannot end
  /// before. That lock is let go of before the wake-up, because the woken loop takes it at once.
  let bell = NSLock()
  let generations = Generations()
  let budget = Budget()
  private let runLoop: ObjectIdentifier?
  /// For use on the loop's own thread, where the loop is alive as long as code of users runs; or with the `bell`.
  let loop: Unmanaged<CFRunLoop>?
  /// Not that which stands in where a thread is ending.
  var hasLoop: Bool { loop != nil }

  // The exclusivity of the variables is not checked at run time, for speed: user code that could come back here is only
  // called between accesses. Only a user's `hash` and `==` of a key are called in the middle of one, of `keys`.

  /// The sets of one mode, by mode. Modes stay, as the loop itself keeps every mode it has heard of.
  @exclusivity(unchecked) var single: [RunLoop.Mode: ModeSet] = [:]
  /// The sets of several modes that have tasks.
  @exclusivity(unchecked) var several: [Set<RunLoop.Mode>: ModeSet] = [:]
  let `default`: ModeSet
  /// Where most tasks begin to wait.
  let usualLane: Lane
  let common: ModeSet
  let commonMode: ModeEntry
  /// What is remembered of pending tasks that were coalesced.
  var marks: [ObjectIdentifier: Mark] = [:]
  /// The pending tasks that have a key.
  var keys: [AnyHashable: RunLoopTask] = [:]
  /// Closures and keys to let go of.
  @exclusivity(unchecked) var released: [Any] = []
  /// The next place in line.
  @exclusivity(unchecked) var nextOrder: UInt64 = 1

  @exclusivity(unchecked) var hearers: [Hearer] = []
  /// How many of them are calling out.
  @exclusivity(unchecked) var busyHearers = 0
  /// Counts what may change which task is the first in line, besides running it and adding the newest.
  @exclusivity(unchecked) var rearrangements = 0
  /// The runs under way, as far as they were observed; the innermost is the last.
  @exclusivity(unchecked) var runs: [Run] = []
  /// The modes of runs that began before the package observed them, and of which nothing has been heard since; they may be over.
  /// The common modes stand for one that became a common one, and may have such a run.
  @exclusivity(unchecked) var unheard: [ModeEntry] = []
  /// How many lanes have tasks.
  @exclusivity(unchecked) var openLanes = 0
  /// How many passes without tasks there were one after the other.
  @exclusivity(unchecked) var quietPasses = 0
  /// How many tasks have run.
  @exclusivity(unchecked) var tasksRun = 0
  /// Whether the loop may sleep next without another look at what is pending.
  @exclusivity(unchecked) var isPastLastCheck = false
  /// The modes with a timer that wakes the loop from its next sleep there.
  @exclusivity(unchecked) var armed: [ModeEntry] = []
  /// Whether a mode may have become empty since a run was last left. (A run nested in an observer that hears an entry before
  /// `beginRun` hides that from the outer run: only one of order Int.min could, added with CoreFoundation.)
  @exclusivity(unchecked) var hasEmptiedMode = false
  /// Whether tasks were pending when a run was last left.
  @exclusivity(unchecked) var tasksWereLeft = false
  /// The mode of the last activity, and the string that CoreFoundation has for its name. Neither ever goes: both sides keep each
  /// mode as long as the loop.
  @exclusivity(unchecked) var lastMode: Unmanaged<ModeEntry>?
  @exclusivity(unchecked) var lastModeName: UnsafeMutableRawPointer?

  /// Whose thread it is, if that of a `RunLoopThread`.
  var residence: Residence?

  /// The scheduler of the main loop.
  static let main = Scheduler(CFRunLoopGetMain(), of: .main)

  /// Stands in where a thread is ending: its loop takes no tasks.
  static let ended = Scheduler(nil, of: nil)

  /// The scheduler of the current thread's loop.
  static var current: Scheduler { withCurrent { $0 } }

  /// Calls `body` with that, and counts no reference.
  @inline(__always)
  static func withCurrent<Result>(_ body: (Scheduler) -> Result) -> Result {
    guard let scheduler = ThreadSlot.scheduler else { return body(make()) }
    return scheduler.borrow(body)
  }

  @inline(never)
  private static func make() -> Scheduler {
    let loop: CFRunLoop = CFRunLoopGetCurrent()
    let scheduler = loop === CFRunLoopGetMain() ? main : Scheduler(loop, of: .current)
    ThreadSlot.install(scheduler)
    return scheduler
  }

  private init(_ loop: CFRunLoop?, of runLoop: RunLoop?) {
    self.runLoop = runLoop.map(ObjectIdentifier.init)
    self.loop = loop.map(Unmanaged.passUnretained)
    var made = Attachment(loop)
    `default` = ModeSet([ModeEntry(.default, made.anchor(of: .default))])
    usualLane = `default`[.nextLoopBegan]
    commonMode = ModeEntry(.common, made.anchor(of: .common))
    common = ModeSet([commonMode])
    attachment = Locked(made)
    for set in [`default`, common] { add(set) }
    if loop != nil { listen() }
  }

  /// Whether the code that asks runs on the loop's own thread, and the loop has not ended.
  var isCurrent: Bool {
    if let isHeld = ThreadSlot.holds(self) { return isHeld }
    guard Thread.isMainThread else {
      ThreadSlot.noteThatThreadHasNone()
      return false
    }
    return Scheduler.current === self
  }

  /// Whether `loop` is the current thread's own, if this is the current scheduler.
  func serves(_ loop: RunLoop) -> Bool {
    // The first is quicker; a thread that is ending has only the second.
    runLoop == ObjectIdentifier(loop) || RunLoop.current === loop
  }

  private var allSets: [ModeSet] { Array(single.values) + Array(several.values) }

  /// What waits in the lanes; the tasks of each are in order.
  func pendingTasks() -> [RunLoopTask] {
    allSets.flatMap { set in RunLoopTask.Timing.allCases.flatMap { set[$0].tasks } }
  }

  /// Keeps the set of a single mode.
  func add(_ set: ModeSet) {
    set.entries[0].add(set)
    single[set.entries[0].mode] = set
  }

  /// Cancels all that is pending and takes everything off the loop; called on its own thread, when that ends.
  func end() {
    let (mail, sources, observations) = attachment.withLock { $0.end() }
    bell.withLock {}  // until nobody uses the loop any more
    var pending = mail.compactMap { $0.post?.task }
    for task in pendingTasks() {
      task.lane?.remove(task)
      pending.append(task)
    }
    let oldKeys = (keys, marks)
    (single, several, keys, marks, hearers, runs) = ([:], [:], [:], [:], [], [])
    // First decide all, then release: what is released may look at the other tasks.
    for task in pending { _ = task.leavePending(for: .cancelled, onLoopThread: true) }
    for task in pending { task.closure = nil }
    withExtendedLifetime(oldKeys) {}
    released = []
    disarmAll()
    for observation in observations {
      observation.end()
      observation.observer.invalidate()
    }
    for guest in sources { guest.owner.loopHasEnded(self, guest) }
  }
}

/// What is known of a run under way.
struct Run {
  // Unsafe for speed: modes stay.
  unowned(unsafe) let mode: ModeEntry
  /// Whether a task has run in this pass.
  var hasRunTask = false
  /// Whether in this pass a batch came to its end because the budget was used up.
  var isCutShort = false
  /// Whether there was a reason to wake the loop from this run's next sleep: a nested run may take the wake-up, and when that ends
  /// it is given again.
  var mayLoseWakeUp = false
  /// Whether its mode may have become empty since the loop last looked.
  var mayBeEmpty: Bool
  /// The wake-ups in a row for which there was no work.
  var looks = Looks()
}
