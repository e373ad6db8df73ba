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
  /// Timing and modes are part of the call, so the loop cannot run the task with the defaults before yours arrive, as it may
  /// if you chain ``RunLoopTask/when(_:)`` to the task. Tasks that one thread schedules keep their order.
  ///
  /// The modes default to `[.default]`, as Foundation's `perform` does: such a task waits while the user scrolls or drags.
  /// Pass `[.common]` to run then as well.
  ///
  /// - Important: No mode at all stops the program: such a task could never run.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the task runs.
  ///   - modes: the modes in which it runs, at least one.
  ///   - key: if not `nil`, what the tasks have in common that may replace each other: of the loop's pending tasks with an equal
  ///     key only the latest runs, in the place of the first; see ``RunLoopTask/coalesced(by:)``.
  ///   - closure: the work, called on the loop's own thread.
  ///   - fileID: the file to name in the task's description; leave it out.
  ///   - line: the line to name in the task's description; leave it out.
  /// - Returns: the task. If the loop has ended, it is cancelled already.
  /// - Complexity: O(1). A task that replaces one with another timing or other modes is put in its place in
  ///   O(tasks between it and the nearer end of the line).
  @discardableResult
  public func perform(
    when timing: RunLoopTask.Timing = .nextLoopBegan, forModes modes: [RunLoop.Mode] = [.default],
    coalescedBy key: (any Hashable & Sendable)? = nil, _ closure: @escaping @Sendable () -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTask {
    requireModes(modes, in: "RunLoopTaskQueue.perform(when:forModes:coalescedBy:_:)", fileID: fileID, line: line)
    return scheduler.perform(closure, when: timing, forModes: modes, coalescedBy: key, fileID: fileID, line: line)
  }

  /// The number of pending tasks.
  ///
  /// May be read on any thread. It is exact as far as that makes sense: other threads may be scheduling meanwhile.
  ///
  /// - Complexity: O(1).
  public var count: Int { scheduler.generations.pendingCount }

  /// Cancels all pending tasks.
  ///
  /// May be called on any thread, and decides at once: none of them begins any more, and their ``RunLoopTask/state`` says so.
  /// A task that has begun goes on. What the closures captured is released at once, or, if another thread than the loop's own
  /// calls this, by the loop's own thread. Whoever waits in ``run(when:forModes:_:isolation:fileID:line:)`` gets a
  /// `CancellationError` then.
  ///
  /// - Complexity: O(pending tasks), on the loop's own thread.
  public func cancelAll() { scheduler.cancelAll() }

  /// How long the tasks of one activity may take, or `nil`, as it is at first, if that does not matter.
  ///
  /// Once the tasks of one activity have taken this long, the rest stay first in line for the next pass. That starts at once,
  /// and the loop's other sources and timers get their turns between. At least one task runs each time, and none is
  /// interrupted: so a pass may take as long as the budget and one task.
  ///
  /// ```swift
  /// RunLoopTaskQueue.main.budget = .milliseconds(4)
  /// for photo in photos {
  ///   RunLoopTaskQueue.main.perform(when: .currentLoopEnded) { show(thumbnail(of: photo)) }
  /// }
  /// ```
  ///
  /// It holds for all tasks of the loop, whoever scheduled them, and may be changed at any time, from any thread.
  ///
  /// - Important: A budget of zero or less stops the program: to have no budget, set `nil`.
  public var budget: Duration? {
    get { scheduler.budget.duration }
    nonmutating set {
      if let newValue, newValue <= .zero {
        fatalError(
          "RunLoopTaskQueue.budget must be more than zero, not \(newValue); to let tasks take as long as they need, set nil"
        )
      }
      scheduler.budget.duration = newValue
    }
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
