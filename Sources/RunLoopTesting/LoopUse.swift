#if canImport(Testing)
  import RunLoopTasks

  /// What a test does with its loop, for other threads.
  final class LoopUse: LoopListener {
    private struct State {
      var hasTasks = false
      /// The tasks that run, the innermost last.
      var running: [(id: UInt, description: String)] = []
    }

    private let state = Locked(State())

    func taskIsScheduled(_: UInt) { state.withLock { $0.hasTasks = true } }

    func workBegins(_ work: LoopWork, at _: UInt) {
      guard case .task(let origin, let timing, _) = work.kind else { return }
      state.withLock { $0.running.append((work.id, "\(origin) (\(timing))")) }
    }

    func workEnds(_ id: UInt) {
      state.withLock { state in if state.running.last?.id == id { state.running.removeLast() } }
    }

    /// A task has been scheduled.
    var hasTasks: Bool { state.withLock { $0.hasTasks } }

    /// The innermost task that runs.
    var runningTask: String? { state.withLock { $0.running.last?.description } }
  }
#endif
