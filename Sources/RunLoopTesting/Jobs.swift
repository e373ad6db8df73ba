#if canImport(Testing)
  import Dispatch
  import RunLoopTasks

  /// The jobs of a thread, which waits for them.
  final class Jobs: Sendable {
    typealias Job = @Sendable () -> Void

    private let state = Locked((list: [Job](), takesMore: true, isEnding: false))
    private let hasNews = DispatchSemaphore(value: 0)

    var areClosed: Bool { state.withLock { !$0.takesMore } }

    /// Adds a job; drops it once no more are taken.
    func add(_ job: @escaping Job) {
      let isAdded = state.withLock { state in
        if state.takesMore { state.list.append(job) }
        return state.takesMore
      }
      if isAdded { hasNews.signal() }
    }

    /// Lets the thread end once it has no more jobs.
    func close() {
      state.withLock { $0.isEnding = true }
      hasNews.signal()
    }

    /// Lets the thread end after one more job, without those that have come or are still to come.
    func close(after last: Job?) {
      let dropped = state.withLock { state in
        defer { state = (last.map { [$0] } ?? [], false, true) }
        return state.list
      }
      hasNews.signal()
      withExtendedLifetime(dropped) {}  // released without the lock
    }

    /// Waits for the next job; `nil` at the end.
    func next() -> Job? {
      while true {
        let (job, isOver) = state.withLock { state -> (Job?, Bool) in
          if !state.list.isEmpty { return (state.list.removeFirst(), false) }
          if state.isEnding { state.takesMore = false }
          return (nil, state.isEnding)
        }
        if job != nil || isOver { return job }
        hasNews.wait()
      }
    }
  }
#endif
