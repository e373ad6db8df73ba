import Foundation

/// A handle to the tasks of one run loop, to schedule from any thread and from async code.
///
/// ```swift
/// let queue = RunLoopTaskQueue.main
/// Task.detached {
///   let rows = await load()
///   queue.perform(when: .currentLoopEnded) {
///     print("\(rows.count) rows, before the main loop sleeps")
///   }
/// }
/// ```
///
/// Copies are the same queue, and equal. A handle keeps neither the loop nor its thread alive.
///
/// > Warning: On Linux, a program with an `async` main never runs the main run loop: <doc:FromThreadsAndAsyncCode#On-Linux>.
public struct RunLoopTaskQueue: Sendable {
  let scheduler: Scheduler

  /// The queue of the main run loop.
  public static var main: RunLoopTaskQueue { RunLoopTaskQueue(scheduler: .main) }

  /// Schedules a closure, from any thread, and wakes the loop if it sleeps.
  ///
  /// Everything is part of the call, so the loop cannot run the task with the defaults before yours arrive, as it may
  /// if you chain ``RunLoopTask/when(_:)`` to the task. Tasks that one thread schedules keep their order.
  ///
  /// The modes default to `[.default]`, as Foundation's `perform` does: such a task waits while the user scrolls or drags.
  /// Pass `[.common]` to run then as well.
  ///
  /// - Important: No mode at all stops the program, and so does a limit of zero or less.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the task runs.
  ///   - delay: how long the task waits before it is due; see ``RunLoopTask/after(_:)``.
  ///   - limit: after which time it is due at any activity, `nil` for never; see ``RunLoopTask/within(_:)``.
  ///   - order: its place among the tasks that are due at the same activity: lower orders run first; see ``RunLoopTask/order(_:)``.
  ///   - modes: the modes in which the task runs, at least one.
  ///   - key: what tasks have in common that may replace each other: of the loop's pending tasks with an equal key only the latest runs, in
  ///     the place of the first. Of what the loop has not read yet there is never more than one task a key, however many are sent.
  ///     See ``RunLoopTask/coalesced(by:atMostEvery:)``.
  ///   - interval: the shortest time between the beginnings of two tasks with the key. Without a key it means nothing.
  ///   - closure: the work, called on the loop's own thread.
  ///   - fileID: the file to name in the task's description; leave it out.
  ///   - line: the line to name in the task's description; leave it out.
  /// - Returns: the task. If the loop has ended, it is cancelled already.
  /// - Complexity: O(1); O(log *n*) on the loop's thread with a delay, a limit or an order.
  @discardableResult
  public func perform(
    when timing: RunLoopTask.Timing = .nextLoopBegan, after delay: Duration = .zero, within limit: Duration? = nil,
    order: Int = 0, forModes modes: [RunLoop.Mode] = [.default], coalescedBy key: (any Hashable & Sendable)? = nil,
    atMostEvery interval: Duration = .zero, _ closure: @escaping @Sendable () -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTask {
    let key = key.map { TaskKey($0, atMostEvery: interval) }
    let plan = TaskPlan(timing: timing, delay: delay, limit: limit, order: order, modes: modes, key: key)
    check(plan, in: "RunLoopTaskQueue.perform(when:)", fileID: fileID, line: line)
    return schedule(plan, isSendable: true, fileID: fileID, line: line, closure)
  }

  /// - Parameter isSendable: whether the closure may be released on any thread.
  func schedule(
    _ plan: TaskPlan, isSendable: Bool, fileID: StaticString, line: UInt, _ closure: @escaping @Sendable () -> Void
  ) -> RunLoopTask {
    if scheduler.isCurrent {
      return scheduler.perform(plan, isSendable: isSendable, fileID: fileID, line: line, closure)
    }
    return scheduler.post(plan, isSendable: isSendable, fileID: fileID, line: line, closure)
  }

  /// The number of pending tasks.
  ///
  /// May be read on any thread. It is exact as far as that makes sense: other threads may be scheduling meanwhile.
  ///
  /// - Complexity: O(1).
  public var count: Int { scheduler.pendingCount.value }

  /// Cancels the pending task with a key, if there is one, from any thread.
  ///
  /// ```swift
  /// RunLoopTaskQueue.main.cancelTask(coalescedBy: "save")
  /// ```
  ///
  /// On the loop's own thread the task is cancelled when this returns. On another thread the loop's own thread decides when it next looks,
  /// in the order in which that thread has scheduled and cancelled.
  ///
  /// - Parameter key: the key that the task was coalesced by.
  /// - Complexity: O(1) on average.
  public func cancelTask(coalescedBy key: some Hashable & Sendable) {
    scheduler.cancelTask(with: TaskKey(key, atMostEvery: .zero))
  }

  /// Cancels all pending tasks.
  ///
  /// May be called on any thread, and decides at once: none of them begins any more, and their ``RunLoopTask/state`` says so.
  /// A task that has begun goes on. What the closures captured is released at once, or, if another thread than the loop's own
  /// calls this, by the loop's own thread. Callers that wait in ``run(when:after:within:forModes:_:isolation:fileID:line:)`` get a
  /// `CancellationError` then.
  ///
  /// - Complexity: O(*n* log *n*), on the loop's own thread.
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
  ///   RunLoopTaskQueue.main.perform(when: .currentLoopEnded) {
  ///     show(thumbnail(of: photo))
  ///   }
  /// }
  /// ```
  ///
  /// It holds for all tasks of the loop. It may be changed at any time, from any thread; a change counts
  /// from the next activity on.
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

  /// Inside a task, what is left of the ``budget`` of this activity; otherwise `nil`.
  ///
  /// A long computation can stop in time and continue in the next pass:
  ///
  /// ```swift
  /// func computeSome() {
  ///   let queue = RunLoop.current.taskQueue
  ///   while !rows.isEmpty && queue.remainingBudget != .zero {
  ///     compute(rows.removeLast())
  ///   }
  ///   guard !rows.isEmpty else { return }
  ///   RunLoop.current.perform { self.computeSome() }
  ///     .when(.currentLoopEnded)
  /// }
  /// ```
  ///
  /// It is never below zero. It is `nil` without a budget, outside tasks and on any other thread than the loop's own.
  public var remainingBudget: Duration? { scheduler.isCurrent ? scheduler.deadline?.timeLeft : nil }
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
  ///   queue.perform(when: .currentLoopEnded) {
  ///     print("on the loop's thread")
  ///   }
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
