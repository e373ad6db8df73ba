import Foundation
import Synchronization

/// Tells on standard error of a task that is due on a loop that nobody runs, as on a thread of Dispatch or of Swift's
/// pool: once a loop, and ten times a process.
///
/// One task is watched at a time: the first that is scheduled outside runs, and once it has begun, was cancelled or has
/// to wait for its time, the one that replaces it or else the next that is scheduled. While there is one, and no run is
/// under way, steps are counted in which the loop has no activity. Time does not count, because a process that stands
/// still takes no steps:
///
///     own thread    a task ──────┐   ┌ a poll: no steps ┐                                ┌ the thread ends: tells
///     Dispatch                   └ 1 ┴ 2                └ 1 ─ 2 ─ 3 ─ 4 ─ 5: tells       ┘
///
/// | `watched` | a task is scheduled  | the task has gone | the loop ends | fifth step, outside runs |
/// |-----------|----------------------|-------------------|---------------|--------------------------|
/// | `none`    | the task; a step     |                   | `over`        |                          |
/// | a task    |                      | `none`            | `over`; tells | `over`; tells            |
/// | `over`    |                      |                   |               |                          |
///
/// Besides, `running` is set while a run is under way, the drain of a thread, or a call that runs tasks outside runs.
/// Then no task is taken for `none`, and the end takes a step for a task.
///
/// `UnrunLoopTests` needs each entry but these: that `over` stays, which `UnrunLoopStressTests` needs, and `over` after
/// `none`, which no test finds missing.
struct UnrunLoop: ~Copyable, Sendable {
  /// The length of a step in seconds, and how many there are without activity.
  private static let (step, steps) = (1.0, 5)
  private static let notice = Notice(times: 10)

  /// What `watched` is, if it is not the address of a task. `claimed` stands for the task whose origin is being noted.
  private static let (none, claimed, over) = (UInt(0), UInt(2), UInt(4))
  /// A bit of `watched`, which no address of a task has.
  private static let running = UInt(1)

  /// The address only tells the task from others, and nobody follows it. A task is noted as gone before it is released,
  /// so no other task can have its address meanwhile. A task costs two looks at it.
  private let watched: Atomic<UInt>
  /// Where the watched task was scheduled: the address of the file's name, and the line. Written by the thread that has
  /// made `watched` be `claimed`, and read by the one that has made the task's address be `over`, after which nobody
  /// writes.
  private let file = Atomic(UInt(0))
  private let line = Atomic(UInt32(0))
  /// Relaxed, here and where an activity looks whether a step is under way: what another thread sees late shifts the
  /// line by a step, and no other memory depends on it.
  private let stepsTaken = Atomic(0)
  private let isStepping = Atomic(false)

  init(isWatched: Bool) { watched = Atomic(isWatched ? Self.none : Self.over) }

  @inline(__always)
  private func change(_ old: UInt, to new: UInt) -> Bool {
    watched.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
  }

  /// Puts something else in the place of a task, whether or not a run is under way.
  private func replace(_ old: UInt, by new: UInt) {
    while true {
      let value = watched.load(ordering: .sequentiallyConsistent)
      if value & ~Self.running != old || change(value, to: new | value & Self.running) { return }
    }
  }

  // MARK: The task

  private static func address(_ task: RunLoopTask) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(task).toOpaque())
  }

  /// A task is scheduled.
  @inline(__always)
  func noteScheduled(_ task: RunLoopTask) {
    if watched.load(ordering: .relaxed) == Self.none { watch(task) }
  }

  @inline(never)
  private func watch(_ task: RunLoopTask) {
    guard change(Self.none, to: Self.claimed) else { return }
    file.store(UInt(bitPattern: task.fileStart), ordering: .relaxed)
    line.store(task.line, ordering: .relaxed)
    noteActivity()
    replace(Self.claimed, by: Self.address(task))
    takeSteps(of: task.scheduler)
    // A replacement is pending already, so another thread may just have cancelled it, and found it unwatched:
    //
    //     own thread         address ─ still pending?
    //     another    cancelled ─ its address?               one of the two sees what the other has stored
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if !task.isStillPending { noteGone(task) }
  }

  /// A task has replaced another, which may have been the watched one. No other code knows it yet, or this is its
  /// thread.
  @inline(never)
  func noteReplacement(_ task: RunLoopTask) {
    if !task.hasTimeToWaitFor { noteScheduled(task) }
  }

  /// A task has begun, was cancelled, or must wait for its time.
  @inline(__always)
  func noteGone(_ task: RunLoopTask) {
    let address = Self.address(task)
    if watched.load(ordering: .sequentiallyConsistent) & ~Self.running == address { replace(address, by: Self.none) }
  }

  // MARK: The loop

  /// The loop has an activity. The step that is under way began before, and so does not count.
  func noteActivity() {
    stepsTaken.store(isStepping.load(ordering: .relaxed) ? -1 : 0, ordering: .relaxed)
  }

  /// A run begins, or the drain of a thread, or a call that runs tasks outside runs.
  func runBegins() {
    noteActivity()
    watched.bitwiseOr(Self.running, ordering: .sequentiallyConsistent)
  }

  /// The outermost of these ends.
  func runsEnd(of scheduler: Scheduler) {
    noteActivity()
    let task = watched.bitwiseAnd(~Self.running, ordering: .sequentiallyConsistent).newValue
    if task > Self.over { takeSteps(of: scheduler) }
  }

  /// The loop ends, and has taken in what was sent. A task that another thread is just sending, in vain, is not told.
  func loopEnds(_ pending: [RunLoopTask], of scheduler: Scheduler) {
    let address = watched.exchange(Self.over, ordering: .sequentiallyConsistent) & ~Self.running
    guard pending.contains(where: { $0.isStillPending && Self.address($0) == address }) else { return }
    tell(
      "never ran, because its thread has ended and has not run its run loop in the task's modes since", of: scheduler)
  }

  // MARK: Steps

  @inline(never)
  private func takeSteps(of scheduler: Scheduler) {
    if isStepping.exchange(true, ordering: .sequentiallyConsistent) { return }
    // Not weakly: references to an object take longer to count once there was a weak one.
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.step) {
      scheduler.unrunLoop.endStep(of: scheduler)
    }
  }

  /// Only for the blocks, and for tests.
  func endStep(of scheduler: Scheduler) {
    // First, so that whoever watches a task or ends a run while the loop is asked takes the next step.
    isStepping.store(false, ordering: .sequentiallyConsistent)
    let address = watched.load(ordering: .sequentiallyConsistent)
    guard address > Self.over, address & Self.running == 0, scheduler.inbox.loop?.isRunning == false else { return }
    guard stepsTaken.add(1, ordering: .relaxed).newValue >= Self.steps else { return takeSteps(of: scheduler) }
    guard change(address, to: Self.over) else { return }  // the next task takes steps of its own
    let loop = scheduler.isOfMainLoop ? "the main run loop" : "the run loop of its thread"
    tell("has waited for 5 seconds in which nobody has run \(loop)", of: scheduler)
  }

  private func tell(_ what: String, of scheduler: Scheduler) {
    let advice =
      scheduler.isOfMainLoop
      ? """
      ; run it, as with RunLoop.main.runUntilTasksFinish() or run(), and don't block the main thread; after \
      dispatchMain(), use a RunLoopThread
      """
      : """
      , as happens on a thread of Dispatch or of Swift's pool; schedule it with MainActor.perform(when:), or with the \
      taskQueue of a loop that runs, such as that of a RunLoopThread; in a test, use .ownRunLoop or withMainRunLoop
      """
    let file = UnsafePointer<UInt8>(bitPattern: file.load(ordering: .relaxed))!  // a literal, which exists for ever
    let origin = "\(String(cString: file)):\(line.load(ordering: .relaxed))"
    Self.notice.write("the task scheduled at \(origin) \(what)\(advice)")
  }
}
