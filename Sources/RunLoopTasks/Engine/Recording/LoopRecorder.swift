import Foundation

/// Something that is told what a loop does, for a recording or a report. This is the only way from the engine to them.
///
/// The engine calls it with locks of its own held, so it must neither call the package nor user code. Several may
/// listen to one loop. One may begin or end anywhere, also in the middle of a task, so it ignores the end of what it
/// has not seen begin.
package protocol LoopRecorder: AnyObject, Sendable {
  // On the loop's own thread:

  func loopComes(to moment: LoopMoment)

  /// - Parameter frame: where the stack of the thread is. What is called from the work lies below it.
  func workBegins(_ work: RecordedWork, at frame: UInt)

  /// The latest work with this identity that is still under way ends.
  func workEnds(_ id: UInt)

  /// The work under way posts a task to another recorded loop.
  ///
  /// - Parameter arrow: the number by which that loop's recorders know the task.
  func workPosts(arrow: UInt64)

  /// The loop ends. Nothing follows.
  func loopEnds()

  // On any thread:

  /// A task becomes pending.
  ///
  /// - Parameter arrow: a number, if the task was posted by the work of another recorded loop.
  func taskWasScheduled(_ id: UInt, arrow: UInt64?)

  /// A task is released: it was cancelled, or it has run. The recorder must have forgotten it, as another task may get
  /// its identity.
  func taskIsOver(_ id: UInt)
}

/// A moment of a run, when observers are called.
package struct LoopMoment {
  package let activity: RunLoop.Activity
  /// All other observers of the activity have been called; otherwise, none of them. There is a last one of
  /// `beforeWaiting` and `exit` only.
  package let isLast: Bool
  package let mode: RunLoop.Mode
  /// The run is a pass that the package drives. It does not sleep.
  package let isDrivenPass: Bool
  /// Where the stack of the thread is: below what has called the run, and above what the run calls.
  package let frame: UInt
}

/// A piece of work that the package calls.
package struct RecordedWork {
  package enum Kind {
    /// The last number is the nanoseconds for which a delayed task has waited since its date.
    case task(TaskOrigin, RunLoopTask.Timing, lateBy: Int64?)
    /// Commands of a `RunLoopSource`, and their type.
    case batch(Int, Any.Type)
    /// A part of async code on a `RunLoopThread`.
    case job
  }

  package let kind: Kind
  /// Different from that of all other work under way, but for work of the same kind around it.
  package let id: UInt
}

/// Where a task was scheduled.
package struct TaskOrigin: @unchecked Sendable, CustomStringConvertible {
  // Unchecked, because the text is that of a static string, which never changes.
  private let fileStart: UnsafePointer<UInt8>
  private let line: UInt32

  init(_ task: RunLoopTask) { (fileStart, line) = (task.fileStart, task.line) }

  package var description: String { "\(String(cString: fileStart)):\(line)" }
}

extension RunLoopTask {
  /// The identity of the task for recorders, until it is released.
  var recordedID: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }
}
