import RunLoopTasks

/// Whom a job of Swift's async code belongs to: a test, or a loop that is being advanced.
///
/// Tests run side by side. One that polls by `Task.yield()` must not make the calls of others wait.
package struct JobOwner: Hashable, Sendable {
  enum Kind { case test, loop }

  let kind: Kind
  private let id: Int

  /// - Parameter test: a number for the test.
  package init(test: Int) { (kind, id) = (.test, test) }

  init(loop: ObjectIdentifier) { (kind, id) = (.loop, loop.hashValue) }

  /// The test of the calling code, if whoever asks knows it.
  package static func tellTests(_ current: @escaping @Sendable () -> JobOwner?) {
    JobTimes.shared.tellTests(current)
  }

  /// The loop whose passes the calling code runs in, or that has started the calling `Task` in them.
  static let advancedLoop = TaskLocal<JobOwner?>(wrappedValue: nil)
}

/// The tasks of Swift's async code and their owners.
///
/// The owner of a `Task` is that of the code that creates it or, if nobody knows that, of the loop that first resumes
/// it. When the task is put in line later, nothing but its number tells whose it is.
struct JobOwners {
  enum Owner: Equatable {
    case owner(JobOwner)
    /// A thread or a block of Dispatch has created the task, say.
    case unknown
    /// The task was there before the first test, or such a task has created it: what runs the tests.
    case nobody
  }

  /// The test of the calling code. A structure, because a bare closure would get one more layer with each change in a
  /// generic type.
  struct CurrentTest { let call: @Sendable () -> JobOwner? }
  var currentTest: CurrentTest?
  /// Tasks with lower numbers were there before the first test.
  private var firstTask: UInt64?
  // Nothing tells the end of a task. So from time to time the tasks go that have not been seen for long.
  private var (tasks, olderTasks): ([UInt64: Owner], [UInt64: Owner]) = ([:], [:])
  private static let most = 20_000
  /// For each loop, the test whose tasks it has resumed.
  private var tests: [JobOwner: JobOwner] = [:]

  /// The owner of a job that the calling code puts in line.
  ///
  /// - Parameter task: the number of the job's task; zero for a job that belongs to none.
  mutating func owner(ofJobOf task: UInt64) -> Owner {
    let loop = JobOwner.advancedLoop.get()
    if task == 0 { return .unknown }
    var owner = tasks[task] ?? olderTasks[task] ?? (isOld(task) ? .nobody : currentOwner)
    if let loop {
      if case .owner(let known) = owner, known.kind == .test {
        if tests.count > 1_000 { tests = [:] }
        tests[loop] = known
      } else {
        owner = .owner(loop)
      }
    }
    if tasks.count == Self.most { (tasks, olderTasks) = ([:], tasks) }
    tasks[task] = owner
    return owner
  }

  /// The owner of the calling code.
  private var currentOwner: Owner {
    if let test = currentTest?.call() { return .owner(test) }
    guard let task = JobHook.currentTaskID else { return .unknown }
    return tasks[task] ?? olderTasks[task] ?? (isOld(task) ? .nobody : .unknown)
  }

  /// The test that uses a loop, as far as is known since its latest advance has begun.
  func test(of loop: JobOwner) -> JobOwner? { tests[loop] }

  mutating func forgetTest(of loop: JobOwner) { tests[loop] = nil }

  /// Notes the number of a new task.
  mutating func noteFirst(_ task: UInt64) { if currentTest != nil { firstTask = firstTask ?? task } }

  private func isOld(_ task: UInt64) -> Bool { currentTest != nil && firstTask.map { task < $0 } ?? true }
}
