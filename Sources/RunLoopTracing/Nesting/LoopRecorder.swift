import Foundation
import RunLoopTasks

/// A listener that is also told of the activities of all runs, for a recording or a report.
///
/// It calls neither the engine nor CoreFoundation with a lock of its own held.
protocol LoopRecorder: LoopListener {
  /// The loop comes to an activity. On its own thread.
  func loopComes(to moment: LoopMoment)
}

/// A moment of a run, when observers are called.
struct LoopMoment {
  let activity: RunLoop.Activity
  /// All other observers of the activity have been called; otherwise, none of them. There is a last one of
  /// `beforeWaiting` and `exit` only.
  let isLast: Bool
  let mode: RunLoop.Mode
  /// The run is a pass that the package drives. It does not sleep.
  let isDrivenPass: Bool
  /// Where the stack of the thread is: below what has called the run, and above what the run calls.
  let frame: UInt
}
