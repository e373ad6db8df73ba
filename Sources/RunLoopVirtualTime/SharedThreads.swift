import Foundation
import RunLoopTasks
import Synchronization

/// The threads that Swift's async code shares, and meetings of jobs on them.
///
/// Nothing reports when these threads have nothing to do. But there is one for each processor and priority, and each
/// takes its jobs in order. So while as many jobs of a meeting run at the same time, no earlier job runs:
///
///     thread 1:  | earlier job | first, waits for the second
///     thread 2:  |     an earlier job, interrupted     | second, so both may end
///
/// Other code may block some of the threads, and then fewer come. Who is missing after a while is taken for blocked,
/// and at the next meetings not waited for as long. The others have shown that no earlier job runs on their threads.
/// A thread that is ready to run is not blocked: on a busy machine it may only lack a processor. Such a thread is
/// waited for longer, and not again until it has come to a meeting or was blocked.
///
/// There is one meeting at a time in the process, because two would each hold some of the threads, and wait for the
/// others. All callers that wait for the next one share it:
///
///     caller 1   meets ─┐
///     caller 2      waits, meets ─┐
///     caller 3        waits ──────┘
final class SharedThreads: @unchecked Sendable {
  // Unchecked, because the condition's lock guards the numbers. The rest belongs to the thread that meets.

  static let pool = SharedThreads()

  private let condition = NSCondition()
  private var begun = 0
  private var ended = 0
  private var latestSuccess = 0
  private var leavesBusyThreads = false
  /// For each priority, the threads that did not come to the latest meeting, and when that was.
  private var blocked = Meeting.priorities.map { _ in 0 }
  private var dateOfBlocked: ContinuousClock.Instant?
  /// For each priority, the threads that have been waited for in vain though they were ready to run.
  private var busy: [Set<SystemThread>] = Meeting.priorities.map { _ in [] }

  /// Where the jobs are over that were under way.
  enum End {
    /// Or on all but blocked ones.
    case onAllThreads
    case onAllButBusyThreads
    /// All threads of a priority are blocked.
    case onNoThread
  }

  /// Waits until the jobs that are under way on these threads are over: for a meeting that begins after this call.
  func letJobsEnd() -> End {
    condition.lock()
    defer { condition.unlock() }
    let next = begun + 1
    while ended < next {
      if begun > ended {
        condition.wait()
        continue
      }
      begun += 1
      condition.unlock()
      JobTimes.shared.noteBegin()
      let haveMet = JobHook.isOfMeeting.withValue(true) { meet() }
      if haveMet { JobTimes.shared.noteEnd() }
      condition.lock()
      ended = begun
      if haveMet { latestSuccess = ended }
      leavesBusyThreads = busy.contains { !$0.isEmpty }
      condition.broadcast()
    }
    if latestSuccess < next { return .onNoThread }
    return leavesBusyThreads ? .onAllButBusyThreads : .onAllThreads
  }

  /// Holds a meeting on the threads of each priority.
  ///
  /// The measure of its length is how often this thread has waited for a millisecond: see `Patience`.
  ///
  /// - Returns: whether a thread of each priority has come, but for the lowest, for which the system may have no time.
  private func meet() -> Bool {
    let hasNews = DispatchSemaphore(value: 0)
    let isKnown = dateOfBlocked.map { ContinuousClock.now - $0 < .seconds(1) } ?? false
    var meetings = Meeting.priorities.enumerated().map { index, priority in
      Meeting(priority, missing: isKnown ? blocked[index] : 0, busy[index], hasNews)
    }
    var (waits, patience) = (0, Patience())
    while !meetings.allSatisfy(\.hasEnded) {
      if hasNews.wait(timeout: .now() + .milliseconds(1)) == .timedOut {
        waits += 1
        patience.noteWait()
      }
      for index in meetings.indices { meetings[index].look(after: waits, patience) }
    }
    (blocked, dateOfBlocked) = (meetings.map(\.missing), .now)
    busy = meetings.map(\.busy)
    return !zip(Meeting.priorities, blocked).contains { $0 != .background && $1 == Meeting.size }
  }
}

/// A meeting on the threads of one priority.
private struct Meeting {
  static let priorities: [TaskPriority] = [.high, .medium, .low, .background]
  static let size = widthOfSharedThreads
  /// A busy machine has had time for each thread by then.
  private static let longestForReady = 1_000

  private final class Attendance: Sendable {
    let arrived = Locked<[SystemThread]>([])
    let mayLeave = DispatchSemaphore(value: 0)

    func release() { for _ in 1...size { mayLeave.signal() } }
  }

  private let attendance = Attendance()
  private let priority: TaskPriority
  private var (count, latest) = (0, 0)
  private(set) var hasEnded = false
  /// The number of threads that have not come. Before the end, how many other code probably blocks.
  private(set) var missing: Int
  private(set) var busy: Set<SystemThread>

  init(_ priority: TaskPriority, missing: Int, _ busy: Set<SystemThread>, _ hasNews: DispatchSemaphore) {
    (self.missing, self.busy, self.priority) = (missing, busy, priority)
    for _ in 1...Self.size {
      Task.detached(priority: priority) { [attendance] in Self.attend(attendance, hasNews) }
    }
  }

  private static func attend(_ attendance: Attendance, _ hasNews: DispatchSemaphore) {
    let count = attendance.arrived.withLock { arrived in
      arrived.append(.current)
      return arrived.count
    }
    guard count == size else { return attendance.mayLeave.wait() }
    attendance.release()
    hasNews.signal()
  }

  /// Ends the meeting if all threads have come, or no more come.
  ///
  /// - Parameters:
  ///   - waits: how often the caller has waited so far.
  ///   - patience: the caller's, for as long as no thread has come. The lowest priority has a fixed one.
  mutating func look(after waits: Int, _ patience: Patience) {
    guard !hasEnded else { return }
    let arrived = attendance.arrived.withLock { $0 }
    if arrived.count > count { (count, latest) = (arrived.count, waits) }
    let isLowest = priority == .background
    let areOnlyBlockedMissing = Self.size - count <= missing
    // Beside busy jobs, all threads of the lowest priority may be missing, again and again.
    let longestForLate = count > 0 ? min(6 * max(latest, 1), 100) : 3
    let longest = areOnlyBlockedMissing && (count > 0 || isLowest) ? longestForLate : 100
    let isOver = count == 0 && !isLowest ? patience.isOver : waits - latest >= longest
    let areAllHere = count == Self.size
    guard areAllHere || isOver else { return }
    // The caller runs, and may itself be on such a thread, which then can't come.
    let ready = areAllHere || isLowest ? [] : SystemThread.ready(for: priority).subtracting(arrived + [.current])
    busy.formIntersection(ready)  // one that has ended, or is blocked now, is not busy any more
    if !ready.isSubset(of: busy) {
      if waits < Self.longestForReady { return }
      busy = ready
    }
    (hasEnded, missing) = (true, Self.size - count)
    attendance.release()
  }
}
