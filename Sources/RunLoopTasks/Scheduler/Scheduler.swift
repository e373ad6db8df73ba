import CoreFoundation
import Foundation
import Synchronization

/// Runs the tasks of one run loop.
///
/// Each loop on which the package was used has one scheduler. It coordinates parts that own their state:
///
/// - `pending` and `keys`: the pending tasks with their order, their alarms and their keys.
/// - `runs`: the runs in progress, and the rules for waking the loop from its next sleep.
/// - `modes`: the numbers of the modes and their keep-alives.
/// - `garbage`: closures and keys to be released.
/// - `attachment`, behind a lock: the objects that are attached to the loop, and the messages of other threads.
///
/// All but the last belong to the loop's own thread and need no lock. Users' calls arrive in `Scheduler+Scheduling`,
/// and the loop's calls arrive in `Scheduler+Activities`.
final class Scheduler: @unchecked Sendable {
  // Unchecked, because all variables belong to the loop's own thread. The constants may be used on any thread.

  let attachment: Locked<LoopAttachment>
  let hasMessages = Atomic(false)
  /// Whether the loop's own thread has the scheduler installed, so that the scheduler ends with the thread.
  private let isInstalled = Atomic(false)
  let pendingCount = PendingCount()
  let budget = Budget()
  let clock = TaskClock()
  private let usualModes = UsualModes()
  private let runLoop: ObjectIdentifier?
  /// For the loop's own thread, where the loop exists as long as user code runs. `nil` in `ended`.
  let loop: Unmanaged<CFRunLoop>?

  // Exclusivity is not checked at run time, because each task accesses these variables many times. No user code runs
  // while they change.
  @exclusivity(unchecked) var pending = PendingTasks()
  var keys = CoalescingKeys()
  @exclusivity(unchecked) var runs = RunStack()
  var levels = ObserverLevels()
  @exclusivity(unchecked) var modes = ModeTable()
  let garbage = Garbage()
  /// The innermost pass that `runPass` or `advance` drives.
  var pass: SinglePass?
  /// The deadline of the batch that runs; `nil` outside tasks.
  var deadline: Deadline?
  /// The number of tasks that have run.
  var tasksRun = 0
  /// The number of waiting callers of `RunLoopTaskQueue.run` and of sleepers that tasks have resumed.
  var callersResumed = 0
  /// The core of the `RunLoopThread` whose loop this is, if any.
  var threadCore: RunLoopThread.Core?

  /// The scheduler of the main loop.
  static let main = {
    let scheduler = Scheduler(CFRunLoopGetMain(), of: .main)
    if Thread.isMainThread { scheduler.install() } else { ifMainLoopNeverRuns { scheduler.endMainLoop() } }
    return scheduler
  }()

  /// The scheduler of every thread that is ending. It accepts no tasks.
  static let ended = Scheduler(nil, of: nil)

  /// The scheduler of the current thread's loop.
  static var current: Scheduler { withCurrent { $0 } }

  /// Calls `body` with the scheduler of the current thread's loop, without counting a reference.
  @inline(__always)
  static func withCurrent<Result>(_ body: (Scheduler) -> Result) -> Result {
    guard let scheduler = ThreadLocalScheduler.scheduler else { return body(make()) }
    return scheduler.withUnretained(body)
  }

  @inline(never)
  private static func make() -> Scheduler {
    let loop: CFRunLoop = CFRunLoopGetCurrent()
    let scheduler = loop === CFRunLoopGetMain() ? main : Scheduler(loop, of: .current)
    if !scheduler.isInstalled.load(ordering: .relaxed) { scheduler.install() }
    return scheduler
  }

  /// Makes the scheduler end with the current thread, which is its loop's own thread.
  private func install() {
    ThreadLocalScheduler.install(self)
    isInstalled.store(true, ordering: .releasing)
  }

  private init(_ loop: CFRunLoop?, of runLoop: RunLoop?) {
    self.runLoop = runLoop.map(ObjectIdentifier.init)
    self.loop = loop.map(Unmanaged.passUnretained)
    attachment = Locked(LoopAttachment(loop))
    for mode in [RunLoop.Mode.default, .common] { addMode(mode) }
    if loop != nil { makeObservers() }
  }

  /// Whether the calling code runs on the loop's own thread, and the loop has not ended.
  var isCurrent: Bool {
    @inline(__always) get { ThreadLocalScheduler.holds(self) ?? isOfThreadWithoutScheduler }
  }

  private var isOfThreadWithoutScheduler: Bool {
    guard Thread.isMainThread else {
      ThreadLocalScheduler.noteThatThreadHasNone()
      return false
    }
    return Scheduler.current === self
  }

  /// Whether `loop` is this scheduler's loop. Only for the current thread's scheduler.
  func serves(_ loop: RunLoop) -> Bool {
    // The first comparison is quicker. A thread that is ending has only the second.
    runLoop == ObjectIdentifier(loop) || RunLoop.current === loop
  }

  // MARK: Modes

  @discardableResult
  private func addMode(_ mode: RunLoop.Mode) -> ModeID {
    let id = pending.addMode()
    runs.addMode()
    modes.add(mode, id, attachment.withLock { $0.keepAlive(of: mode) })
    return id
  }

  @inline(__always)
  func id(of mode: RunLoop.Mode) -> ModeID { usualModes.id(of: mode) ?? findID(of: mode) }

  @inline(never)
  private func findID(of mode: RunLoop.Mode) -> ModeID { modes.id(of: mode) ?? addMode(mode) }

  /// The mode in which the loop runs, `nil` outside a run.
  @inline(__always)
  func currentMode() -> ModeID? {
    guard let name = loop?.withUnretained(copyCurrentModeName) else { return nil }
    if let current = modes.latest, current.name == ObjectIdentifier(name) { return current.mode }
    return findMode(named: name)
  }

  @inline(never)
  private func findMode(named name: CFString) -> ModeID? {
    guard let mode = RunLoop.current.currentMode else { return nil }
    let id = id(of: mode)
    modes.latest = (ObjectIdentifier(name), id)
    return id
  }

  /// Whether a mode is one of the common modes. It may be `false` until a task was scheduled for the common modes, and
  /// until then it does not matter.
  @inline(__always)
  func isCommon(_ mode: ModeID) -> Bool { mode == .default || findWhetherCommon(mode) }

  @inline(never)
  private func findWhetherCommon(_ mode: ModeID) -> Bool {
    if modes.isKnownToBeCommon(mode) { return true }
    guard attachment.withLock({ $0.isCommon(modes.keepAlive(mode)) }) else { return false }
    modes.noteCommon(mode)
    return true
  }

  // MARK: The end

  /// Ends the main loop's scheduler, because Dispatch has taken over the main thread. If the main thread has the
  /// scheduler installed, the thread's destructor ends it instead.
  private func endMainLoop() {
    if !isInstalled.load(ordering: .acquiring) { end() }
  }

  /// Cancels all pending tasks and removes everything from the loop. The loop's own thread calls this when it ends.
  func end() {
    guard let left = attachment.withLock({ $0.end() }) else { return }
    var tasks = pending.removeAll()
    for message in left.mail.messages {
      switch message {
      case .schedule(let task, _), .discard(let task): tasks.append(task)
      default: break
      }
    }
    let rest = garbage.removeAll()
    for case .task(let task) in rest { tasks.append(task) }
    let old = (pending, keys.removeAll(), rest, tasks.map(\.extras))
    (pending, runs, pass) = (PendingTasks(), RunStack(), nil)
    // All tasks are cancelled before any closure is released, because a release may look at other tasks.
    for task in tasks {
      _ = task.leavePending(for: .cancelled, onLoopThread: true)
      task.extras = .none
    }
    for task in tasks { _ = task.closure.take() }
    withExtendedLifetime((old, left.mail)) {}
    for observer in left.observers {
      observer.end()
      observer.observer.invalidate()
    }
    for source in left.sources { source.owner.loopHasEnded(self, source) }
  }
}
