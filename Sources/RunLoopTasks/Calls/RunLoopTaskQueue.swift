import Foundation

/// A handle to the tasks of one run loop, which schedules from any thread and from async code.
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
/// Copies refer to the same queue and compare equal. A handle from ``RunLoopThread/taskQueue`` keeps its thread
/// running, as a `DispatchQueue` does. Any other handle keeps neither the loop nor its thread alive.
///
/// > Warning: On Linux, a program with an `async` main runs the main run loop only with `RunLoopMain`:
/// > <doc:ThreadsAndAsyncCode#On-Linux>.
public struct RunLoopTaskQueue: Sendable {
  let scheduler: Scheduler
  /// The thread that the handle keeps running, if it came from there.
  var thread: RunLoopThread?

  /// The queue of the main run loop.
  public static var main: RunLoopTaskQueue { RunLoopTaskQueue(scheduler: .main) }

  /// Schedules a closure, from any thread, and wakes the loop if it sleeps.
  ///
  /// ```swift
  /// DispatchQueue.global().async {
  ///   RunLoopTaskQueue.main.perform(
  ///     when: .idle, after: .seconds(2), coalescedBy: "trim"
  ///   ) {
  ///     cache.trim()
  ///   }
  /// }
  /// ```
  ///
  /// The call sets all options in one step. An option that you chain on another thread traps. Tasks that one thread
  /// schedules keep their order.
  ///
  /// The modes default to `[.default]`, as in Foundation's `perform`, so the task waits while the user scrolls or
  /// drags. Pass `[.common]` to run it during scrolling.
  ///
  /// - Important: An empty list of modes traps, and so does an interval without a key.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the task runs.
  ///   - delay: how long the task waits before it is in line; see ``RunLoopTask/after(_:)``.
  ///   - limit: the time after which the task is due at any activity, `nil` for no limit; see
  ///     ``RunLoopTask/within(_:)``.
  ///   - order: the order among tasks that are due at the same activity, lower first; see ``RunLoopTask/order(_:)``.
  ///   - modes: the modes in which the task runs, at least one.
  ///   - key: the key that the task is coalesced by, `nil` for none; see ``RunLoopTask/coalesced(by:atMostEvery:)``. Of
  ///     the loop's pending tasks with an equal key, only the latest runs. At most one unread task per
  ///     key is kept, however many other threads send. Its `==` and `hash(into:)` must not lock, block, schedule or
  ///     post: the package may compare keys with a lock held.
  ///   - interval: the shortest time between the starts of two tasks with the key. It needs a key.
  ///   - closure: the work. The loop calls it on its own thread.
  ///   - fileID: the calling file, which the task's description shows. Use the default.
  ///   - line: the calling line, which the task's description shows. Use the default.
  /// - Returns: the task. It is already cancelled if the loop has ended, or its ``RunLoopThread`` is stopping and takes
  ///   nothing more from other threads.
  /// - Complexity: O(1); on the loop's thread, O(log *n*) with a delay or a limit, and up to O(*n*) with an order or
  ///   several modes.
  @discardableResult
  public func perform(
    when timing: RunLoopTask.Timing = .nextLoopBegan, after delay: Duration = .zero, within limit: Duration? = nil,
    order: Int = 0, forModes modes: [RunLoop.Mode] = [.default], coalescedBy key: (any Hashable & Sendable)? = nil,
    atMostEvery interval: Duration = .zero, _ closure: @escaping @Sendable () -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTask {
    let plan = TaskPlan(
      call: Call("RunLoopTaskQueue.perform(when:)", fileID, line), timing: timing, delay: delay, limit: limit,
      order: order, modes: modes, key: key.flatMap { TaskKey($0, atMostEvery: interval) }, interval: interval,
      isSendable: true)
    return scheduler.schedule(plan, closure)
  }

  /// The number of pending tasks, including those that async code awaits, such as a sleep on the ``clock``.
  ///
  /// You can read it on any thread. It is exact unless other threads schedule or cancel tasks at the same time.
  ///
  /// - Complexity: O(1).
  public var count: Int { scheduler.pendingCount.load(ordering: .acquiring) }

  /// Cancels the pending task with a key, if there is one, from any thread.
  ///
  /// ```swift
  /// RunLoopTaskQueue.main.cancelTask(coalescedBy: "save")
  /// ```
  ///
  /// On the loop's own thread, the task is cancelled when the call returns. After a call on another thread, the loop's
  /// own thread cancels the task when it next reads its messages. The calls of one thread take effect in their order. A
  /// task that was posted with the key in one call, and that the loop has not looked at, is cancelled at once, and its
  /// closure is released if it is `@Sendable`.
  ///
  /// - Parameter key: the key that the task was coalesced by. Its `==` and `hash(into:)` must not lock, block, schedule
  ///   or post.
  /// - Complexity: O(1) on average.
  public func cancelTask(coalescedBy key: some Hashable & Sendable) {
    guard let key = TaskKey(key) else { return }
    let canceller = RunLoopTask(scheduler, fileID: #fileID, line: #line, closure: nil)
    canceller.key = key
    scheduler.submit(.task(canceller))
  }

  /// Cancels all pending tasks of the loop, including those of other code.
  ///
  /// Sleeps on the loop's ``clock`` end with a `CancellationError`. To cancel only your own tasks, keep them:
  /// <doc:Recipes#Cancel-all-tasks-of-one-owner>.
  ///
  /// You can call it on any thread. On the loop's own thread, the tasks are cancelled and their closures released when
  /// the call returns. A call on another thread is a message: it cancels what is pending when its turn comes among what
  /// that thread sends, before the loop begins another task. A task that begins at that very moment may run. A task
  /// that has begun continues.
  ///
  /// With that, callers of ``run(when:after:within:order:forModes:_:isolation:fileID:line:)`` and
  /// ``performAndWait(when:within:forModes:_:fileID:line:)`` get a `CancellationError`.
  ///
  /// - Complexity: O(*n* log *n*), on the loop's own thread.
  public func cancelAll() { scheduler.submit(.cancelAll) }

  /// The time that the tasks of one activity may take, or `nil` for no limit. The default is `nil`.
  ///
  /// Once the tasks of one activity have taken this long, the remaining tasks stay first in line for the next pass.
  /// That pass begins immediately, after the loop has served its sources and timers. At least one task runs each time,
  /// and no task is interrupted, so the tasks of an activity may take as long as the budget and one task.
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
  /// The budget covers all tasks of the loop, but neither batches of sources nor jobs of actors. You can change it on
  /// any thread. A change applies from the next activity.
  ///
  /// - Important: A budget of zero or less traps. Set `nil` for no budget.
  public var budget: Duration? {
    get {
      let budget = scheduler.budget.load(ordering: .relaxed)
      return budget == .max ? nil : .nanoseconds(budget)
    }
    nonmutating set {
      if let newValue, newValue <= .zero {
        // Without the caller's file and line, which a property cannot take as arguments.
        fatalError(
          "RunLoopTaskQueue.budget must be more than zero, not \(newValue); to let tasks take as long as they need, set nil"
        )
      }
      scheduler.budget.store(newValue.map { min($0.wholeNanoseconds, .max - 1) } ?? .max, ordering: .relaxed)
    }
  }

  /// The time that the running task may still take; `nil` if nothing limits it, as in
  /// ``RunLoopTask/runNow(fileID:line:)``, and outside tasks.
  ///
  /// It is the rest of this activity's ``budget`` or, in an idle task without a budget, of the slice of 4 milliseconds
  /// that idle tasks have in each pass, unless their limit has expired; see ``RunLoopTask/Timing/idle``. A long computation can stop in time and
  /// continue when the loop is next idle:
  ///
  /// ```swift
  /// func computeSome() {
  ///   let queue = RunLoop.current.taskQueue
  ///   while let row = rows.popLast() {
  ///     compute(row)
  ///     if queue.remainingBudget == .zero { break }
  ///   }
  ///   guard !rows.isEmpty else { return }
  ///   RunLoop.current.perform { self.computeSome() }.when(.idle)
  /// }
  /// ```
  ///
  /// Begin in a task as well, `RunLoop.current.perform(when: .idle) { self.computeSome() }`: a direct call has no budget,
  /// and computes all rows in one go. So does one in `runPass` and `advance`, unless there is a ``budget``.
  ///
  /// It is never below zero. It may already be zero when a task begins, so do a little work first, as here, to
  /// make progress. On any other thread, it is `nil`.
  ///
  /// - Complexity: O(1).
  public var remainingBudget: Duration? {
    scheduler.isCurrent ? scheduler.runs.batch?.timeLeft.map { .nanoseconds($0) } : nil
  }
}

extension RunLoopTaskQueue: Hashable {
  /// Whether two handles belong to the same run loop.
  public static func == (one: RunLoopTaskQueue, other: RunLoopTaskQueue) -> Bool { one.scheduler === other.scheduler }

  /// Hashes the identity of the run loop.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(scheduler)) }
}

extension RunLoop {
  /// A handle that schedules on this loop from other threads and from async code.
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
  /// - Important: `RunLoop.main.taskQueue` can be read on any thread, and that of any other loop only on the loop's own
  ///   thread, or it traps. The handle can be used on any thread.
  public var taskQueue: RunLoopTaskQueue {
    if self === RunLoop.main { return .main }
    let scheduler = Scheduler.current
    guard scheduler.belongs(to: self) else {
      // Without the caller's file and line, which a property cannot take as arguments.
      fatalError(
        """
        RunLoop.taskQueue of a loop that is not the main one must be read on the loop's own thread; read it there and \
        pass the RunLoopTaskQueue on, which may be used on any thread
        """)
    }
    return RunLoopTaskQueue(scheduler: scheduler)
  }
}
