import Foundation
import Synchronization

/// Tells on standard error of the first task that is pending on a loop that has never run, as on a thread of Dispatch
/// or of Swift's pool: once a loop, and ten times a process.
///
/// Nothing polls: while there are such tasks, a block is on its way for the date at which the first is to be told of.
final class UnrunLoop: Sendable {
  private struct State {
    /// The first tasks of the loop, and when they are to be told of. Dates are those of the uptime, in nanoseconds.
    var tasks: [(task: RunLoopTask, date: Int64)] = []
    /// For when a block is on its way.
    var nextLook = Int64.max
  }

  /// How long after its date a task is told of, in nanoseconds.
  static let patience: Int64 = 5_000_000_000
  /// Only so many tasks are watched. If they are all cancelled, the others may be told of only when the thread ends.
  private static let most = 16
  private static let timesLeft = Atomic(10)

  private let state = Locked(State())
  // Both are read without the lock, so that a task costs one look. Whoever reads them late takes the lock in vain, or
  // does not watch one task more; what is decided by them is decided again with the lock, or by `exchange`.
  /// No more tasks are watched.
  private let isFull: Atomic<Bool>
  /// The loop has run, has ended, or was told of.
  private let isOver: Atomic<Bool>

  init(isWatched: Bool) {
    isFull = Atomic(!isWatched)
    isOver = Atomic(!isWatched)
  }

  /// Notes a task, from the thread that schedules it.
  @inline(__always)  // most loops have run, and then nothing is called
  func note(_ task: RunLoopTask, at now: @autoclosure () -> Int64) {
    if !isFull.load(ordering: .relaxed) { watch(task, from: now()) }
  }

  private func watch(_ task: RunLoopTask, from now: Int64) {
    let date = max(task.options?.delayEnd ?? .min, now).addingSaturated(Self.patience)
    let mustLook = state.withLock { state -> Bool in
      if isOver.load(ordering: .relaxed) { return false }
      state.tasks.append((task, date))
      if state.tasks.count == Self.most { isFull.store(true, ordering: .relaxed) }
      guard date < state.nextLook else { return false }
      state.nextLook = date
      return true
    }
    if mustLook { sendBlock(for: date) }
  }

  /// Notes that a task has got a delay.
  func delay(_ task: RunLoopTask, until end: Int64) {
    state.withLock { state in
      guard let index = state.tasks.firstIndex(where: { $0.task === task }) else { return }
      state.tasks[index].date = end.addingSaturated(Self.patience)
    }
  }

  /// The loop runs, or has ended.
  func end() {
    isOver.store(true, ordering: .relaxed)
    isFull.store(true, ordering: .relaxed)
    // Released without the lock. The tasks keep the scheduler, and thus this object.
    withExtendedLifetime(state.withLock { exchange(&$0.tasks, with: []) }) {}
  }

  private func sendBlock(for date: Int64) {
    let delay = DispatchTimeInterval.nanoseconds(Int(date.addingSaturated(-TaskClock.uptime)))
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + delay) { [weak self] in self?.look(at: date) }
  }

  /// Tells of the first task for which it is time, or sends a block for when it is.
  func look(at date: Int64) {
    let (gone, first) = state.withLock { state -> ([RunLoopTask], (task: RunLoopTask, date: Int64)?) in
      guard state.nextLook == date else { return ([], nil) }
      let gone = state.tasks.map(\.task).filter { !$0.isPending }
      state.tasks.removeAll { task, _ in gone.contains { $0 === task } }
      if state.tasks.count < Self.most, !isOver.load(ordering: .relaxed) { isFull.store(false, ordering: .relaxed) }
      let first = state.tasks.min { $0.date < $1.date }
      state.nextLook = first?.date ?? .max
      return (gone, first)
    }
    withExtendedLifetime(gone) {}  // released without the lock
    guard let first else { return }
    if first.date > date { return sendBlock(for: first.date) }
    let loop = first.task.scheduler.isOfMainLoop ? "the main run loop" : "the run loop of its thread"
    tell(of: first.task, "has waited for 5 seconds, but nobody has run \(loop)")
  }

  /// Tells of a task, unless the loop has run or was told of.
  func tell(of task: RunLoopTask, _ what: String) {
    if isOver.exchange(true, ordering: .relaxed) { return }
    end()
    guard Self.timesLeft.subtract(1, ordering: .relaxed).newValue >= 0 else { return }
    let advice =
      task.scheduler.isOfMainLoop
      ? "; run it, as with RunLoop.main.run(), and don't block the main thread"
      : """
      , as on a thread of Dispatch or of Swift's pool; schedule it with MainActor.perform(when:), or with the taskQueue of \
      a loop that runs, such as that of a RunLoopThread
      """
    writeToStandardError("RunLoopTasks: the task scheduled at \(task.origin) \(what)\(advice)\n")
  }
}

func writeToStandardError(_ text: String) { _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) } }
