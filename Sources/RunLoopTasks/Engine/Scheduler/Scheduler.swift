import Foundation
import Synchronization

/// Runs the tasks of one run loop.
///
/// Each loop on which the package was used has one scheduler. It coordinates these parts:
///
/// - `pending` and `keys`: the pending tasks with their modes, order, alarms and keys.
/// - `runs`, `batch` and `yielding`: the runs and batches in progress, and whether idle tasks wait.
/// - `garbage`: closures and keys to be released.
/// - `attachment`, behind a lock: what is attached to the loop, and the messages of other threads.
///
/// All but the last belong to the loop's own thread and need no lock. Most of a user's calls arrive in
/// `Scheduler+Tasks`, and the loop's calls arrive in `Scheduler+Activities`.
final class Scheduler: @unchecked Sendable {
  // Unchecked, because all variables and `loop` belong to one thread at a time: to the one that makes the
  // scheduler, then to the loop's own from its first use there on, and at the end to the one that calls `end()`. Other
  // threads read only `clock`, with the lock, or change `pending.modes` where there is no loop. The other constants may
  // be used on any thread.

  let attachment: Locked<LoopAttachment>
  /// Messages may be unread. The flag is set and cleared with the lock of the attachment, and read without it.
  let hasMessages = Atomic(false)
  /// A mode has become common. In its runs nothing had looked at messages and commands, so the wake-up for those that
  /// are unread may have been in vain.
  private let hasNewCommonMode = Atomic(false)
  /// The loop's own thread has the scheduler installed, so that the scheduler ends with the thread.
  let isInstalled = Atomic(false)
  let pendingCount = PendingCount()
  /// How long the tasks of one activity may take, in nanoseconds; `.max` for no limit. Any thread may change it.
  let budget = Atomic(Int64.max)
  /// The callers of `RunLoopTaskQueue.run`, and sleepers.
  let callers = AsyncCallers()
  /// Something records the loop, and is told what it does. Changed with the lock of the attachment, and read without it
  /// by any thread: whoever reads it late finds the recorders behind their own lock, or leaves out work at a
  /// recording's beginning.
  let isRecorded = Atomic(false)
  let recorders = Locked<[any LoopRecorder]>([])
  /// The identities of the two modes that nearly all tasks have.
  private let (defaultMode, commonMode) = (RunLoop.Mode.default.identity, RunLoop.Mode.common.identity)
  private let runLoop: ObjectIdentifier?
  /// Only to be used while `isCurrent` is true: the attachment owns it until the end, and by then `isCurrent` is false.
  /// `nil` on a thread that is ending.
  unowned(unsafe) let loop: (any EngineLoop)?
  /// Whether `loop` is not `nil`, even after its end. To read `loop` counts references, which takes longer.
  let hasLoop: Bool
  /// A copy: each access to a static constant asks whether it was initialized.
  private let threadKey = ThreadLocalScheduler.key

  // Where a variable says so, exclusivity is not checked at run time, because each task accesses it many times. No user
  // code runs while it changes, but for the `==` of keys: see `withKeys`.
  @exclusivity(unchecked) var pending = PendingTasks()
  /// The clock of delays, limits and intervals. The loop's own thread reads it, and changes it with the lock of the
  /// attachment; other threads read it with that lock.
  @exclusivity(unchecked) var clock = TaskClock()
  /// The known runs, the innermost last.
  @exclusivity(unchecked) var runs: [Run] = []
  /// Cancelled tasks, and references to keys. Their release may run any code, even code that runs the loop, so
  /// `releaseGarbage` releases them when the state is consistent again.
  @exclusivity(unchecked) var garbage: [AnyObject] = []
  /// A source was added to the loop at some time.
  var hasHadSources = false
  /// The loop has been run, as far as the package has seen.
  private(set) var hasRun = false
  /// Tells of tasks that are pending although it has not.
  let unrunLoop: UnrunLoop
  /// The main loop was embedded in an event loop, and no run has begun since then or since the latest `prepareHost`,
  /// whichever came later. Each change of the tasks wakes the event loop, if there still is one.
  var changesWakeHost = false
  /// The pass that is about to begin as a run, if the package drives it.
  var passToBegin: DrivenPass?
  /// A batch was cut short, and the loop has not served everything else yet.
  @exclusivity(unchecked) var yielding: Yielding?
  /// The innermost batch that runs; `nil` outside batches and in `runNow`.
  var batch: Batch?
  /// The tasks that are being run ahead of their turns, the innermost last.
  @exclusivity(unchecked) var flushes: [Flush] = []
  @exclusivity(unchecked) private var keys = CoalescingKeys()
  private var areKeysInUse = false
  /// The number of tasks that have run.
  var tasksRun = 0

  /// The scheduler of the main loop.
  static let main = {
    let scheduler = make(SystemLoop.main, of: .main)
    if Thread.isMainThread {
      scheduler.install()
    } else {
      // If the main thread has the scheduler installed then, the thread's destructor ends it instead.
      ifMainLoopNeverRuns { if !scheduler.isInstalled.load(ordering: .acquiring) { scheduler.end() } }
    }
    return scheduler
  }()

  /// The scheduler of the current thread's loop. On a thread that is ending, a new one each time, which has no loop and
  /// accepts no tasks.
  static var current: Scheduler { withCurrent { $0 } }

  /// Calls `body` with the scheduler of the current thread's loop, without counting a reference.
  static func withCurrent<Result>(_ body: (Scheduler) -> Result) -> Result {
    guard let scheduler = ThreadLocalScheduler.scheduler else { return body(make()) }
    return scheduler.withUnretained(body)
  }

  private static func make() -> Scheduler {
    if ThreadLocalScheduler.hasEnded { return Scheduler(nil, of: nil) }
    if isMainActorElsewhere { reportLostMainLoop() }
    let scheduler = RunLoop.current === RunLoop.main ? main : make(SystemLoop.current, of: .current)
    if !scheduler.isInstalled.load(ordering: .relaxed) { scheduler.install() }
    return scheduler
  }

  private static func make(_ loop: SystemLoop, of runLoop: RunLoop) -> Scheduler {
    let scheduler = Scheduler(loop, of: runLoop)
    loop.serve(scheduler)
    return scheduler
  }

  /// Makes the scheduler end with the current thread, which is its loop's own thread.
  func install() {
    ThreadLocalScheduler.install(self)
    isInstalled.store(true, ordering: .releasing)
  }

  init(_ loop: (any EngineLoop)?, of runLoop: RunLoop?, lock: Lock = Lock()) {
    self.runLoop = runLoop.map(ObjectIdentifier.init)
    unrunLoop = UnrunLoop(isWatched: runLoop != nil)
    (self.loop, hasLoop) = (loop, loop != nil)
    attachment = Locked(LoopAttachment(loop), lock: lock)
    attachment.withLock { attachment in
      for name in [RunLoop.Mode.default, .common] { _ = attachment.mode(name) }  // with the numbers of `ModeID`
      pending.addModes(of: attachment.modes)
    }
  }

  /// The calling code runs on the loop's own thread, and the loop has not ended.
  var isCurrent: Bool { ThreadLocalScheduler.holds(self, for: threadKey) ?? installIfOnOwnThread() }

  /// The main thread has no scheduler as long as only other threads have used its loop.
  ///
  /// - Returns: whether the calling code runs on that thread, and the scheduler is its own.
  @inline(never)  // so that `isCurrent` is inlined
  private func installIfOnOwnThread() -> Bool {
    !isInstalled.load(ordering: .acquiring) && Thread.isMainThread && Scheduler.current === self
  }

  var isOfMainLoop: Bool { runLoop == ObjectIdentifier(RunLoop.main) }

  /// Whoever runs the loop, in whatever way, has no need to be told.
  func noteRun() {
    if hasRun { return }
    hasRun = true
    unrunLoop.end()
  }

  /// Whether `loop` is this scheduler's loop. Only for the current thread's scheduler.
  func serves(_ loop: RunLoop) -> Bool {
    // The first comparison is quicker. On a thread that is ending, it fails.
    runLoop == ObjectIdentifier(loop) || RunLoop.current === loop
  }

  /// Calls `body` with the keys of tasks. It calls the `==` of keys, which must not come back here.
  func withKeys<Result>(_ body: (inout CoalescingKeys) -> Result) -> Result {
    if areKeysInUse {
      fatalError("The == of a key has scheduled, run or cancelled a task of the same loop; it must only compare")
    }
    areKeysInUse = true
    defer { areKeysInUse = false }
    return body(&keys)
  }

  // MARK: Time

  /// The date at which time next changes anything, `.max` for never.
  var nextChange: Int64 { min(pending.earliestAlarm, keys.earliestEnd) }

  /// The time of the clock, on any thread.
  var time: Int64 { isCurrent ? clock.now : attachment.withLock { _ in clock.now } }

  /// The date at which `duration` from now has passed, or the last one, on any thread.
  func date(after duration: Duration) -> Int64 { time.date(after: duration.wholeNanoseconds) }

  func changeClock(_ body: (inout TaskClock) -> Void) { attachment.withLock { _ in body(&clock) } }

  // MARK: Modes

  /// The number of a mode, on any thread.
  func id(of mode: RunLoop.Mode) -> ModeID {
    let identity = mode.identity
    if identity == defaultMode { return .default }
    return identity == commonMode ? .common : findMode(mode)
  }

  private func findMode(_ name: RunLoop.Mode) -> ModeID {
    let mayChangePending = isCurrent || !hasLoop
    return attachment.withLock { attachment in
      let mode = attachment.mode(name)
      if mayChangePending { pending.addModes(of: attachment.modes) }
      return mode.id
    }
  }

  /// The name under which the loop observes a mode: that of its first use. Two names that are equal in Swift, such as é
  /// as one scalar and as two, are different modes for CoreFoundation. On the loop's own thread.
  func spelling(of mode: RunLoop.Mode) -> RunLoop.Mode { self[id(of: mode)].name }

  /// The numbers of some modes, each once, on any thread.
  func ids(of modes: [RunLoop.Mode]) -> [ModeID] {
    modes.map(id).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Whether a mode is one of the common modes. If it has just become one, this is noted.
  func isCommon(_ mode: ModeID) -> Bool { pending.with(mode) { $0.isCommon } || noteIfCommon(mode) }

  /// Notes a mode if it has become one of the common modes. The probe has kept its runs alive until now. As there may
  /// be tasks of `.common`, the keeper takes over.
  ///
  /// - Returns: whether it has become one since the last call.
  @discardableResult
  func noteIfCommon(_ mode: ModeID) -> Bool {
    // Not with the lock of the attachment: this comes at each last look in a mode that is not common, and
    // CoreFoundation's own lock must be taken under that one as rarely as possible. In between, the mode has neither
    // probe nor keeper, but only a run on this thread could find it empty:
    //
    //     own thread    takes the probe ──────────────────────── lock ─ notes, keeper ─ unlock
    //     sender                         lock ─ `.common`: not here ─ unlock
    guard !pending.with(mode, { $0.isCommon }), loop?.takeProbe(from: self[mode].name) == true else { return false }
    attachment.withLock {
      self[mode].isCommon = true
      $0.attach(mode)
    }
    return true
  }

  /// A mode becomes common. Any thread calls this, with CoreFoundation's lock of the loop held.
  func noteNewCommonMode() { hasNewCommonMode.store(true, ordering: .releasing) }

  /// Whether what is sent must wake the loop although something older is unread. `true` once after each such change: to
  /// wake the loop takes its lock, so the wake-up comes when the change is complete.
  func takeMissedWakeUp() -> Bool {
    hasNewCommonMode.load(ordering: .relaxed) && hasNewCommonMode.exchange(false, ordering: .acquiring)
  }

  subscript(mode: ModeID) -> LoopMode { pending.modes[Int(mode.index)].takeUnretainedValue() }

  // MARK: The end

  /// Cancels all pending tasks and removes everything from the loop. The loop's own thread calls this when it ends, or
  /// any thread for a main loop that never runs.
  func end() {
    guard let left = attachment.withLock({ $0.end() }) else { return }
    changesWakeHost = false  // from here on `loop` may no longer exist
    _ = readMessages()
    if let task = pending.all.first(where: \.isPending) {
      if isOfMainLoop {
        reportLostMainLoop()
      } else {
        unrunLoop.tell(of: task, "never ran, because its thread has ended without running its run loop")
      }
    }
    unrunLoop.end()
    // All tasks are cancelled before any closure is released, because a release may look at other tasks.
    pendingCount.beginGeneration()
    withdrawOutdated()
    garbage += withKeys { $0.forgetBeginnings(until: .max) } as [AnyObject]
    releaseGarbage()
    for (handler, observer) in left.observers {
      handler.end()
      observer.invalidate()
    }
    reportDroppedCommands(left.sources.reduce(0) { $0 + $1.loopHasEnded(self) })
    endRecorders()
  }
}
