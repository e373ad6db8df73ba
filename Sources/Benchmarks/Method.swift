/// The use of a peer that a row measures.
enum Job {
  /// Tasks for the beginning of a pass.
  case began
  /// Tasks for the end of a pass: without a mode, in `.default`, or in `.common`.
  case ended, endedDefault, endedCommon
  /// Each task replaces the one before it.
  case coalesced
  /// Tasks for the end of a pass in `.common`, in one call; and the same with each replacing the one before it.
  case oneCall, oneCallCoalesced
  /// Each task is cancelled at once.
  case cancelled
  /// All tasks are cancelled once the whole batch is scheduled.
  case cancelledLater
  /// Tasks for a mode in which the loop never runs.
  case parked
  /// Tasks that come before those already in line: by falling orders, by a thousand different orders, by timings amended
  /// from the back, or by keys whose tasks are replaced from the back.
  case fallingOrders, manyOrders, amendedTimings, replacedKeys
  /// A debounce: each task waits for 300 ms and replaces the one before it, and the last one is cancelled.
  case debounced
  /// Tasks for when the loop is idle.
  case idle
  /// Tasks from another thread: as soon as possible, for the end of the pass, and each replacing the one before it.
  case sent, posted, postedCoalesced
}

/// The way in which a peer does a job.
struct Method {
  /// The tasks of a batch that run.
  enum Runs { case all, last, none }

  let runs: Runs
  /// Schedules a task. It is `@Sendable`, because another thread may call it.
  ///
  /// The benchmark calls it through a pointer, so the compiler cannot see a task's whole life and optimize it away.
  let schedule: @Sendable (_ left: Int) -> Void

  init(runs: Runs = .all, schedule: @escaping @Sendable (_ left: Int) -> Void) {
    (self.runs, self.schedule) = (runs, schedule)
  }

  /// Schedules a batch.
  func schedule(batchOf size: Int) { for left in stride(from: size - 1, through: 0, by: -1) { schedule(left) } }

  /// The number of tasks of a batch that run.
  func count(ofBatch size: Int) -> Int {
    switch runs {
    case .all: size
    case .last: 1
    case .none: 0
    }
  }
}

extension Method {
  /// The method of a peer that can cancel a task and cannot replace one: to replace a task, it cancels the task before.
  static func cancelling<Handle>(
    _ job: Job, schedule: @escaping @Sendable (_ left: Int) -> Void,
    scheduleWithHandle: @escaping @Sendable (_ left: Int) -> Handle, cancel: @escaping @Sendable (Handle) -> Void
  ) -> Method? {
    switch job {
    case .parked, .fallingOrders, .manyOrders, .amendedTimings, .replacedKeys, .debounced: return nil
    case .coalesced, .oneCallCoalesced, .postedCoalesced:
      // Safe, because only one thread schedules.
      nonisolated(unsafe) var latest: Handle?
      return Method(runs: .last) { left in
        if let latest { cancel(latest) }
        latest = scheduleWithHandle(left)
      }
    case .cancelled: return Method(runs: .none) { left in cancel(scheduleWithHandle(left)) }
    case .cancelledLater: return cancellingLater(schedule: scheduleWithHandle, cancel: cancel)
    default: return Method(schedule: schedule)
    }
  }

  /// The debounce of a peer that can cancel a task and cannot replace one.
  static func debouncing<Handle>(
    schedule: @escaping @Sendable (_ left: Int) -> Handle, cancel: @escaping @Sendable (Handle) -> Void
  ) -> Method {
    nonisolated(unsafe) var latest: Handle?  // safe, because only one thread schedules
    return Method(runs: .none) { left in
      if let latest { cancel(latest) }
      latest = schedule(left)
      if left == 0 { latest.take().map(cancel) }
    }
  }

  /// The method that schedules a whole batch, and then changes each task from the latest to the first.
  static func changingFromTheBack<Handle>(
    schedule: @escaping @Sendable (_ left: Int) -> Handle, change: @escaping @Sendable (Int, Handle) -> Void
  ) -> Method {
    nonisolated(unsafe) var batch: [Handle] = []  // safe, because only one thread schedules
    return Method { left in
      batch.append(schedule(left))
      guard left == 0 else { return }
      for (left, handle) in batch.reversed().enumerated() { change(left, handle) }
      batch.removeAll(keepingCapacity: true)
    }
  }

  /// Stops the loop by one more task after each batch, because the last task of the batch is not the last that runs.
  func stopping(by stop: @escaping @Sendable () -> Void) -> Method {
    Method(runs: runs) { left in
      schedule(left)
      if left == 0 { stop() }
    }
  }

  /// The method that schedules a whole batch before it cancels the first task.
  static func cancellingLater<Handle>(
    schedule: @escaping @Sendable (_ left: Int) -> Handle, cancel: @escaping @Sendable (Handle) -> Void
  ) -> Method {
    nonisolated(unsafe) var batch: [Handle] = []  // safe for the same reason
    return Method(runs: .none) { left in
      batch.append(schedule(left))
      guard left == 0 else { return }
      for handle in batch { cancel(handle) }
      batch.removeAll(keepingCapacity: true)
    }
  }
}
