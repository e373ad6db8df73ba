import Foundation
import RunLoopTasks

/// The hook that Swift's runtime calls for each job that it puts in line for the shared threads.
///
/// Only this tells whether there is async code to wait for. It misses some jobs: those of the main actor, and a hop to
/// an actor that has nothing to do. But what it misses follows, within a meeting or two, a job that it has seen.
enum JobHook {
  // The runtime's functions have the calling convention of Swift.
  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void
  private typealias IDOfJob = @convention(thin) (UnsafeRawPointer) -> UInt64
  private typealias CurrentTask = @convention(thin) () -> UnsafeRawPointer?

  // Unsafe only because these types are not Sendable. All but the hook itself are constants, and that is a word, which
  // the runtime reads without a lock.
  nonisolated(unsafe) private static let variable = symbol("swift_task_enqueueGlobal_hook")
  private static let earlierHook = variable?.load(as: Hook?.self)
  private static let idOfJob = symbol("swift_task_getJobTaskId")
    .map { unsafeBitCast($0, to: IDOfJob.self) }
  private static let currentTask = symbol("swift_task_getCurrent")
    .map { unsafeBitCast($0, to: CurrentTask.self) }

  /// A program with a static runtime has none.
  private static func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(dlopen(nil, RTLD_LAZY), name) }

  /// The jobs that the calling code puts in line are those of meetings.
  static let isOfMeeting = TaskLocal(wrappedValue: false)

  /// Sets the hook, unless somebody else has done so since.
  ///
  /// - Returns: whether it has been there since the latest call. If not, jobs may have come unseen.
  static func watch() -> Bool {
    guard let variable, idOfJob != nil, currentTask != nil else {
      AdvanceReport.reportUnseenJobs(because: "this program's Swift runtime has no swift_task_enqueueGlobal_hook")
      return false
    }
    let (earlier, ours) = (unsafeBitCast(earlierHook, to: Int.self), unsafeBitCast(ours, to: Int.self))
    hookLock.lock()
    let installed = variable.load(as: Int.self)
    if installed == earlier || installed == 0 { variable.storeBytes(of: ours, as: Int.self) }
    hookLock.unlock()
    if ![ours, earlier, 0].contains(installed) {
      // It is left there, because it may call this one.
      AdvanceReport.reportUnseenJobs(because: "another swift_task_enqueueGlobal_hook was set after its own")
    }
    return installed == ours
  }

  private static let hookLock = Lock()

  private static let ours: Hook = { job, enqueue in
    let task = idOfJob?(unsafeBitCast(job, to: UnsafeRawPointer.self)) ?? 0
    if isOfMeeting.get() { JobTimes.shared.noteTask(task) } else { JobTimes.shared.noteJob(of: task) }
    if let earlierHook { earlierHook(job, enqueue) } else { enqueue(job) }
  }

  /// The number of the `Task` of the calling code. Later ones have higher numbers.
  static var currentTaskID: UInt64? {
    guard let task = currentTask?() else { return nil }
    return idOfJob?(task)
  }
}
