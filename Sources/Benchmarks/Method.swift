/// The use of a peer that a row measures.
enum Job {
  /// Tasks for the beginning of a pass.
  case began
  /// Tasks for the end of a pass: without a mode, in `.default`, or in `.common`.
  case ended, endedDefault, endedCommon
  /// Each task replaces the one before it.
  case coalesced
  /// Tasks for the end of a pass in `.common`, in one call; and the same with each replacing the one before it, by the
  /// key of a string or of an owner.
  case oneCall, oneCallCoalesced, oneCallOwner
  /// Each task is cancelled at once.
  case cancelled
  /// Tasks for a mode in which the loop never runs.
  case parked
  /// Tasks that come before those already in line, by a thousand different orders.
  case manyOrders
  /// A debounce: each task waits for 300 ms and replaces the one before it, and the last one is cancelled.
  case debounced
  /// Tasks for when the loop is idle.
  case idle
  /// A backlog as programs work it off by hand: in main-queue blocks of 4 ms, or with a `Task.yield()` after each task.
  case byHand
  /// Tasks from another thread: as soon as possible, for the end of the pass, and each replacing the one before it.
  case sent, posted, postedCoalesced
}

/// The way in which a peer does a job.
struct Method {
  /// The tasks of a batch that run.
  enum Runs { case all, last, none }

  let runs: Runs
  /// Schedules a task, on any thread. The call is through a pointer, so the compiler cannot optimize a task away.
  let schedule: @Sendable (_ left: Int) -> Void

  init(runs: Runs = .all, schedule: @escaping @Sendable (_ left: Int) -> Void) {
    (self.runs, self.schedule) = (runs, schedule)
  }

  func schedule(batchOf size: Int) { for left in stride(from: size - 1, through: 0, by: -1) { schedule(left) } }

  /// The number of tasks of a batch that run.
  func count(ofBatch size: Int) -> Int { runs == .all ? size : runs == .last ? 1 : 0 }
}

extension Method {
  /// The method of a peer for a backlog that it works off by hand: schedules the backlog's first task, which does the
  /// rest.
  ///
  /// - Parameter workOff: starts a task that calls its argument again and again, until that returns `false`: once for
  ///   each task of the backlog.
  static func byHand(_ workOff: @escaping @Sendable (_ next: @escaping @Sendable () -> Bool) -> Void) -> Method {
    nonisolated(unsafe) var backlog: [Int] = []  // safe, because only the main thread schedules, and works
    return Method { left in
      backlog.append(left)
      guard backlog.count == 1 else { return }
      workOff {
        if let left = backlog.popLast() { work(left) }
        return !backlog.isEmpty
      }
    }
  }

  /// The method of a peer that can cancel a task and cannot replace one: to replace a task, it cancels the task before.
  static func cancelling<Handle>(
    _ job: Job, schedule: @escaping @Sendable (_ left: Int) -> Void,
    scheduleWithHandle: @escaping @Sendable (_ left: Int) -> Handle, cancel: @escaping @Sendable (Handle) -> Void
  ) -> Method? {
    switch job {
    case .parked, .manyOrders, .debounced, .byHand: nil
    case .coalesced, .oneCallCoalesced, .oneCallOwner, .postedCoalesced:
      replacing(runs: .last, schedule: scheduleWithHandle, cancel: cancel)
    case .cancelled: Method(runs: .none) { left in cancel(scheduleWithHandle(left)) }
    default: Method(schedule: schedule)
    }
  }

  /// Cancels each task for the next one. If none is to run, it cancels the last one as well.
  static func replacing<Handle>(
    runs: Runs, schedule: @escaping @Sendable (_ left: Int) -> Handle, cancel: @escaping @Sendable (Handle) -> Void
  ) -> Method {
    nonisolated(unsafe) var latest: Handle?  // safe, because only one thread schedules
    return Method(runs: runs) { left in
      if let latest { cancel(latest) }
      latest = schedule(left)
      if runs == .none, left == 0 { latest.take().map(cancel) }
    }
  }
}
