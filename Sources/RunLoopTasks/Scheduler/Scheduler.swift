import Foundation
import Synchronization

/// Runs the tasks of one run loop.
///
/// Each loop on which the package was used has one scheduler. It passes what happens to three parts, and carries out
/// what they answer:
///
/// - `store`: the pending tasks with their places, dates and keys.
/// - `runs`: the runs and the batch in progress, and whether idle tasks wait.
/// - `inbox`: what other threads send, behind a lock, and what is attached to the loop.
///
/// Most of a user's calls arrive in `Scheduler+Tasks`, and the loop's calls arrive in `Scheduler+Activities`.
final class Scheduler: @unchecked Sendable {
  // Unchecked, because the variables belong to one thread at a time: see `OwnThread`. The constants may be used
  // on any thread, but for `loop` and `itsStore`.

  let inbox: Inbox
  let listeners = Listeners()
  /// Tells of tasks that are due although nobody runs the loop.
  let unrunLoop: UnrunLoop
  /// The callers of `RunLoopTaskQueue.run`, and sleepers.
  let callers = AsyncCallers()
  /// The number of pending tasks. Any thread may read and change it.
  let pendingCount = Atomic(0)
  /// How long the tasks of one activity may take, in nanoseconds; `.max` for no limit. Any thread may change it.
  let budget = Atomic(Int64.max)

  let ownThread = OwnThread()
  private let runLoop: ObjectIdentifier?
  /// Only for the thread to which the variables belong, and not after `inbox.end()`: the inbox owns it. `nil` on a
  /// thread that is ending.
  unowned(unsafe) let loop: (any LoopDriver)?
  /// Whether `loop` is not `nil`, even after its end. To read `loop` counts references, which takes longer.
  let hasLoop: Bool

  /// The identities of the two modes that nearly all tasks have. Copies, as in `OwnThread`.
  private let knownModes = (default: RunLoop.Mode.default.identity, common: RunLoop.Mode.common.identity)

  private let itsStore = Store()
  // Exclusivity is not checked at run time, as in `Store`.
  @exclusivity(unchecked) private var itsRuns = Runs()
  /// The clock of delays, limits and intervals. The loop's own thread reads it, and changes it with the lock of the
  /// inbox; other threads read it with that lock.
  @exclusivity(unchecked) private(set) var clock = TaskClock()
  /// The users' observers that are on the loop.
  private var observations: [Observation] = []

  var store: Store {
    @inline(__always) _read {
      ownThread.check(self)
      yield itsStore
    }
  }

  var runs: Runs {
    @inline(__always) _read {
      ownThread.check(self)
      yield itsRuns
    }
    @inline(__always) _modify {
      ownThread.check(self)
      yield &itsRuns
    }
  }

  /// The scheduler of the main loop.
  static let main = {
    let scheduler = make(SystemLoop.main, of: .main)
    if Thread.isMainThread {
      scheduler.install()
    } else {
      // If the main thread has the scheduler installed then, the thread's destructor ends it instead.
      ifMainLoopNeverRuns { if !scheduler.ownThread.hasInstalled { scheduler.end() } }
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
    if !scheduler.ownThread.hasInstalled { scheduler.install() }
    return scheduler
  }

  private static func make(_ loop: SystemLoop, of runLoop: RunLoop) -> Scheduler {
    let scheduler = Scheduler(loop, of: runLoop)
    loop.begin(scheduler)
    return scheduler
  }

  /// Makes the scheduler end with the current thread, which is its loop's own thread.
  func install() {
    ThreadLocalScheduler.install(self)
    ownThread.noteInstalled()
  }

  /// The loop calls, on its own thread. So far perhaps only other threads have used the main loop.
  @inline(__always)
  func loopCalls() { if !ownThread.hasInstalled { install() } }

  init(_ loop: (any LoopDriver)?, of runLoop: RunLoop?, lock: Lock = Lock()) {
    self.runLoop = runLoop.map(ObjectIdentifier.init)
    unrunLoop = UnrunLoop(isWatched: runLoop != nil)
    (self.loop, hasLoop) = (loop, loop != nil)
    inbox = Inbox(loop, lock: lock)
    inbox.withUnread { store.addModes(of: $1) }
  }

  /// The calling code runs on the loop's own thread, and the loop has not ended.
  var isCurrent: Bool { ownThread.isCurrent(with: self) ?? installIfOnOwnThread() }

  /// The main thread has no scheduler as long as only other threads have used its loop.
  ///
  /// - Returns: whether the calling code runs on that thread, and the scheduler is its own.
  @inline(never)  // so that `isCurrent` is inlined
  private func installIfOnOwnThread() -> Bool {
    !ownThread.hasInstalled && Thread.isMainThread && Scheduler.current === self
  }

  var isOfMainLoop: Bool { runLoop == ObjectIdentifier(RunLoop.main) }

  /// Whether `loop` is this scheduler's loop. Only for the current thread's scheduler.
  func belongs(to loop: RunLoop) -> Bool {
    // The first comparison is quicker. On a thread that is ending, it fails.
    runLoop == ObjectIdentifier(loop) || RunLoop.current === loop
  }

  // MARK: Time

  /// The time of the clock, on any thread.
  var time: Int64 { isCurrent ? clock.now : inbox.withLock { clock.now } }

  /// The date at which `duration` from now has passed, or the last one, on any thread.
  func date(after duration: Duration) -> Int64 { time.date(after: duration.wholeNanoseconds) }

  func changeClock(_ body: (inout TaskClock) -> Void) {
    ownThread.check(self)
    inbox.withLock { body(&clock) }
  }

  // MARK: Modes

  /// The number of a mode, on any thread.
  func id(of mode: RunLoop.Mode) -> ModeID {
    let identity = mode.identity
    if identity == knownModes.default { return .default }
    return identity == knownModes.common ? .common : findMode(mode)
  }

  private func findMode(_ name: RunLoop.Mode) -> ModeID {
    let mayChangeStore = isCurrent || !hasLoop  // without a loop, no thread reads the modes without the lock
    defer { if isHeard { tell { $0.modeIsUsed(name) } } }
    return inbox.id(of: name) { if mayChangeStore { store.addModes(of: $0) } }
  }

  /// The name under which the loop observes a mode: that of its first use. Two names that are equal in Swift, such as é
  /// as one scalar and as two, are different modes for CoreFoundation. On the loop's own thread.
  func spelling(of mode: RunLoop.Mode) -> RunLoop.Mode { self[id(of: mode)].name }

  /// The numbers of some modes, each once, on any thread.
  func ids(of modes: [RunLoop.Mode]) -> [ModeID] {
    modes.map(id).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Whether a mode is known to be one of the common modes.
  func isCommon(_ mode: ModeID) -> Bool { store.with(mode) { $0.isCommon } }

  /// Notes a mode if it has become one of the common modes: at each activity of its runs, and where a call drives it.
  /// The probe has kept its runs alive until now. As there may be tasks of `.common`, the keeper takes over.
  @inline(__always)
  func noteIfCommon(_ mode: ModeID) { if !isCommon(mode) { takeProbe(from: mode) } }

  @inline(never)
  private func takeProbe(from mode: ModeID) {
    // Not with the lock of the inbox: this comes at each last look in a mode that is not common, and
    // CoreFoundation's own lock must be taken under that one as rarely as possible. In between, the mode has neither
    // probe nor keeper, but only a run on this thread could find it empty:
    //
    //     own thread    takes the probe ──────────────────────── lock ─ notes, keeper ─ unlock
    //     sender                         lock ─ `.common`: not here ─ unlock
    guard loop?.takeProbe(from: self[mode].name) == true else { return }
    inbox.noteCommon(self[mode])
  }

  subscript(mode: ModeID) -> LoopMode { store.modes[Int(mode.index)].takeUnretainedValue() }

  // MARK: The end

  /// Cancels all pending tasks and removes everything from the loop. The loop's own thread calls this when it ends, or
  /// any thread for a main loop that never runs.
  func end() {
    ownThread.noteEnd()
    for observation in exchange(&observations, with: []) { observation.takeOff() }
    guard let sources = inbox.end() else { return }
    _ = readMessages()
    if isOfMainLoop, let task = store.pending.all.first(where: \.isStillPending) {
      reportLostMainLoop(task)
    } else {
      unrunLoop.loopEnds(store.pending.all, of: self)
    }
    store.end()
    releaseGarbage()
    reportDroppedCommands(sources.reduce(0) { $0 + $1.loopHasEnded(self) })
    listeners.end()
  }

  // MARK: Observers of users

  func add(_ observation: Observation) {
    ownThread.check(self)
    observations.append(observation)
  }

  func remove(_ observation: Observation) {
    ownThread.check(self)
    observations.removeAll { $0 === observation }
  }
}
