/// What a row asks of a peer for each task of a batch.
enum Job {
  case began, ended, endedDefault, endedCommon
  /// Each task replaces the one before it.
  case coalesced
  /// Each task is cancelled at once.
  case cancelled
  /// All tasks are cancelled once the whole batch is scheduled.
  case cancelledLater
  /// In a mode in which the loop is never run.
  case parked
  /// By another thread: soon, before the loop sleeps, and each in the place of the one before it.
  case sent, posted, postedCoalesced
}

/// How a peer does a job.
struct Method {
  /// Which tasks of a batch run.
  enum Runs { case all, last, none }

  let runs: Runs
  /// Schedules a task, and is `@Sendable` because another thread may be the one that does.
  ///
  /// It is called through a pointer, so the compiler cannot see a task's whole life and leave parts of it out.
  let schedule: @Sendable (_ left: Int) -> Void

  init(runs: Runs = .all, schedule: @escaping @Sendable (_ left: Int) -> Void) {
    (self.runs, self.schedule) = (runs, schedule)
  }

  /// Schedules a batch.
  func schedule(batchOf size: Int) { for left in stride(from: size - 1, through: 0, by: -1) { schedule(left) } }

  /// How many tasks of a batch run.
  func count(ofBatch size: Int) -> Int {
    switch runs {
    case .all: size
    case .last: 1
    case .none: 0
    }
  }
}

extension Method {
  /// The jobs of a peer that has nothing but a way to cancel: who wants to replace a task cancels the one before.
  static func cancelling<Handle>(
    _ job: Job, schedule: @escaping @Sendable (_ left: Int) -> Handle, cancel: @escaping @Sendable (Handle) -> Void
  ) -> Method? {
    switch job {
    case .coalesced, .postedCoalesced:
      // Unchecked, because one thread alone schedules.
      nonisolated(unsafe) var latest: Handle?
      return Method(runs: .last) { left in
        if let latest { cancel(latest) }
        latest = schedule(left)
      }
    case .cancelled: return Method(runs: .none) { left in cancel(schedule(left)) }
    case .cancelledLater: return cancellingLater(schedule: schedule, cancel: cancel)
    default: return nil
    }
  }

  static func cancellingLater<Handle>(
    schedule: @escaping @Sendable (_ left: Int) -> Handle, cancel: @escaping @Sendable (Handle) -> Void
  ) -> Method {
    nonisolated(unsafe) var batch: [Handle] = []  // as above
    return Method(runs: .none) { left in
      batch.append(schedule(left))
      guard left == 0 else { return }
      for handle in batch { cancel(handle) }
      batch.removeAll(keepingCapacity: true)
    }
  }
}
