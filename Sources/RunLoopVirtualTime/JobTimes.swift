import RunLoopTasks
import Synchronization

/// When jobs of Swift's async code have come, counted in meetings of the shared threads.
///
/// Such code is where it can get once three meetings in a row have begun and ended, and no job has come since the first
/// began. So the more jobs follow each other, the more meetings there are; and there are none where no job comes:
///
///     jobs        │ a          b                                 c
///     meetings    │   1 ────     2 ────   3 ────   4 ──── quiet    5 ────   6 ────   7 ──── quiet
///
/// One would be enough if each job were seen; `JobHook` says what is not.
final class JobTimes: Sendable {
  static let shared = JobTimes()
  static let meetings = 3
  /// Before all meetings.
  static let never = -meetings

  private struct State {
    var owners = JobOwners()
    // How many meetings had begun when the latest job came. Some may have come before the first meeting, unseen.
    var latest: [JobOwner: Latest] = [:]
    var latestOfUnknown = 0
    var latestOfAll = 0
  }

  private struct Latest {
    private var (task, date, dateOfOtherTasks) = (UInt64.max, JobTimes.never, JobTimes.never)

    mutating func note(_ task: UInt64, at date: Int) {
      if task != self.task { (self.task, dateOfOtherTasks) = (task, self.date) }
      self.date = date
    }

    /// - Parameter current: the task of the calling code, which is not under way elsewhere.
    func date(except current: UInt64?) -> Int { task == current ? dateOfOtherTasks : date }
  }

  private let state = Locked(State())
  private let begun = Atomic(0)
  private let ended = Atomic(0)

  // MARK: Meetings

  func noteBegin() { begun.add(1, ordering: .sequentiallyConsistent) }

  func noteEnd() {
    ended.store(now, ordering: .sequentiallyConsistent)
  }

  // MARK: Jobs, on any thread

  /// Notes that a job is about to be put in line.
  ///
  /// - Parameter task: the number of its task; zero if it belongs to none.
  func noteJob(of task: UInt64) {
    state.withLock { state in
      let now = now
      state.latestOfAll = now
      switch state.owners.owner(ofJobOf: task) {
      case .owner(let owner):
        if state.latest.count > 1_000 {
          state.latest = state.latest.filter { !isQuiet(since: $0.value.date(except: nil)) }
        }
        state.latest[owner, default: Latest()].note(task, at: now)
      case .unknown: state.latestOfUnknown = now
      case .nobody: break
      }
    }
  }

  /// Notes the number of a new task that doesn't count.
  func noteTask(_ task: UInt64) { state.withLock { $0.owners.noteFirst(task) } }

  // MARK: Callers

  /// The owner of the calling code: its test or, if that is not known, the loop that it advances.
  func owner(advancing loop: JobOwner) -> JobOwner {
    let currentTest = state.withLock { state in
      if JobOwner.advancedLoop.get() != loop { state.owners.forgetTest(of: loop) }  // not in one that is under way
      return state.owners.currentTest
    }
    return currentTest?.call() ?? loop
  }

  /// Whether there are tests, as far as is known.
  var knowsTests: Bool { state.withLock { $0.owners.currentTest != nil } }

  /// Jobs that may be under way.
  enum Jobs {
    case none
    /// Of the caller's owner. Without tests, a loop also owns what no known owner has.
    case own
    /// Of which nobody knows whether they are the caller's.
    case others
  }

  /// How many meetings have begun.
  var now: Int { begun.load(ordering: .sequentiallyConsistent) }

  /// The jobs that concern a caller. Those of other tests do not, unless the caller is a loop of which nobody knows the
  /// test.
  ///
  /// - Parameter latest: how many meetings had begun when jobs of the caller may have come unseen, if any have.
  func jobs(concerning caller: JobOwner, latest: Int) -> Jobs {
    let task = JobHook.currentTaskID
    let (own, others) = state.withLock { state -> (Int, Int) in
      func date(of owner: JobOwner?) -> Int { owner.flatMap { state.latest[$0] }?.date(except: task) ?? Self.never }
      let (own, test) = (max(latest, date(of: caller)), state.owners.test(of: caller))
      if caller.kind == .test || test != nil { return (max(own, date(of: test)), state.latestOfUnknown) }
      return (state.owners.currentTest == nil ? max(own, state.latestOfUnknown) : own, state.latestOfAll)
    }
    return !isQuiet(since: own) ? .own : !isQuiet(since: others) ? .others : .none
  }

  private func isQuiet(since meeting: Int) -> Bool {
    ended.load(ordering: .sequentiallyConsistent) >= meeting + Self.meetings
  }

  func tellTests(_ current: @escaping @Sendable () -> JobOwner?) {
    // In a test, what is younger than the calling task may be that test's. At other times, all that was there is
    // nobody's.
    let task = current() == nil ? nil : JobHook.currentTaskID
    let isFirst = state.withLock { state in
      guard state.owners.currentTest == nil else { return false }
      state.owners.currentTest = JobOwners.CurrentTest(call: current)
      if let task { state.owners.noteFirst(task) }
      return true
    }
    guard isFirst else { return }  // the answer of a later look at the hook is an advance's
    _ = JobHook.watch()
    if task == nil { JobHook.isOfMeeting.withValue(true) { _ = Task.detached {} } }
  }
}
