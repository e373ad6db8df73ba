import Foundation

/// Something that is told what a loop does, such as a recording. This is the only way from the engine to what an app may
/// do without, and the engine does nothing for that but tell.
///
/// Several may listen to one loop. One may begin or end anywhere, also in the middle of a task, so it ignores the end of
/// what it has not seen begin. It must not call user code, and no call waits for it: whoever removes a listener may
/// find it called once more.
package protocol LoopListener: AnyObject, Sendable {
  // On the loop's own thread:

  /// - Parameter frame: where the stack of the thread is. What is called from the work lies below it.
  func workBegins(_ work: LoopWork, at frame: UInt)

  /// The latest work with this identity that is still under way ends.
  func workEnds(_ id: UInt)

  /// A call would wait for dates of a clock that is held, and returns. For tests.
  func callWaitsInVain(_ call: Call)

  /// An option of a pending task has changed, but not one that is chained right to its scheduling. For hosts.
  func taskHasChanged()

  /// The loop ends. Nothing follows.
  func loopEnds()

  // On any thread:

  /// A task is about to become pending.
  func taskIsScheduled(_ id: UInt)

  /// A task is released that was cancelled, or that had more than a timing and a mode. The listener must have forgotten it,
  /// and any other task that has run, as another task may get its identity.
  func taskIsOver(_ id: UInt)

  /// The package uses a mode, perhaps for the first time. It is neither the default mode nor the common modes. For
  /// recordings.
  func modeIsUsed(_ mode: RunLoop.Mode)

  /// The loop is woken for a message or a command, which is there. The lock of a source may be held. For hosts.
  func loopIsWoken()
}

extension LoopListener {
  package func workBegins(_: LoopWork, at _: UInt) {}
  package func workEnds(_: UInt) {}
  package func callWaitsInVain(_: Call) {}
  package func taskHasChanged() {}
  package func loopEnds() {}
  package func taskIsScheduled(_: UInt) {}
  package func taskIsOver(_: UInt) {}
  package func modeIsUsed(_: RunLoop.Mode) {}
  package func loopIsWoken() {}
}

/// A piece of work that the package calls.
package struct LoopWork {
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
