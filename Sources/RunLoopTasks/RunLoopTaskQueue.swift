import Foundation

/// A handle to the tasks of one run loop, to schedule from any thread and from async code.
///
/// ```swift
/// let queue = RunLoopTaskQueue.main
/// Task.detached {
///   let rows = await load()
///   queue.perform(when: .currentLoopEnded) { print("\(rows.count) rows, before the main loop sleeps") }
/// }
/// ```
///
/// Copies are the same queue, and equal. A handle keeps neither the loop nor its thread alive.
///
/// > Warning: On Linux a program whose `main` is `async` gives its main thread to Dispatch and never runs the main run
/// > loop: tasks on ``main`` stay pending. The main actor is then served by Dispatch's threads, so there `RunLoop.current` is
/// > not `RunLoop.main` either. Run `RunLoop.main` from a `main` that is not `async`.
public struct RunLoopTaskQueue: Sendable {
  let scheduler: Scheduler

  /// The queue of the main run loop.
  public static var main: RunLoopTaskQueue { RunLoopTaskQueue(scheduler: .main) }

  /// Schedules a closure, from any thread, and wakes the loop if it sleeps.
  ///
  /// Timing and modes are part of the call, so the loop cannot run the task with the defaults before yours arrive. Tasks that
  /// one thread schedules keep their order.
  ///
  /// The modes default to `[.default]`, as Foundation's `perform` does: such a task waits while the user scrolls or drags.
  /// Pass `[.common]` to run then as well.
  ///
  /// - Important: No mode at all stops the program: such a task could never run.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the task runs.
  ///   - modes: the modes in which it runs, at least one.
  ///   - closure: the work, called on the loop's own thread.
  ///   - fileID: the file to name in the task's description; leave it out.
  ///   - line: the line to name in the task's description; leave it out.
  /// - Returns: the task. If the loop has ended, it is cancelled already.
  /// - Complexity: O(1).
  @discardableResult
  public func perform(
    when timing: RunLoopTask.Timing = .nextLoopBegan, forModes modes: [RunLoop.Mode] = [.default],
    _ closure: @escaping @Sendable () -> Void, fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTask {
    requireModes(modes, in: "RunLoopTaskQueue.perform(when:forModes:_:)", fileID: fileID, line: line)
    return scheduler.perform(closure, when: timing, forModes: modes, fileID: fileID, line: line)
  }
}

extension RunLoopTaskQueue: Hashable {
  /// Whether two handles are of the same run loop.
  public static func == (one: RunLoopTaskQueue, other: RunLoopTaskQueue) -> Bool { one.scheduler === other.scheduler }

  /// Hashes the identity of the run loop.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(scheduler)) }
}

extension RunLoop {
  /// The handle to schedule on this loop from other threads and from async code.
  ///
  /// ```swift
  /// let queue = RunLoop.current.taskQueue
  /// DispatchQueue.global().async {
  ///   queue.perform(when: .currentLoopEnded) { print("on the loop's thread") }
  /// }
  /// ```
  ///
  /// - Important: Read it on the loop's own thread, or on any thread from `RunLoop.main`; elsewhere it stops the program.
  ///   The handle itself may go anywhere.
  public var taskQueue: RunLoopTaskQueue {
    if self === RunLoop.main { return .main }
    let scheduler = Scheduler.current
    guard scheduler.serves(self) else {
      fatalError(
        """
        RunLoop.taskQueue of a loop that is not the main one must be read on the loop's own thread; read it there and \
        pass the RunLoopTaskQueue on, which may be used on any thread
        """)
    }
    return RunLoopTaskQueue(scheduler: scheduler)
  }
}
