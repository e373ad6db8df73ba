#if canImport(Testing)
  import Dispatch
  import RunLoopTasks

  /// Calls a closure once a time has passed, unless it is cancelled before.
  final class TimeLimit: Sendable {
    private struct State {
      var timer: (any DispatchSourceTimer)?
      /// Steps, because time also passes while a debugger stops the process, which then takes one step.
      var stepsLeft = 10
      /// How many have let the time stand still.
      var suspensions = 0
    }

    /// Never blocked.
    static let queue = DispatchQueue(label: "RunLoopTesting.limits")
    private let state = Locked(State())

    init(_ limit: Duration, _ body: @escaping @Sendable () -> Void) {
      let timer = DispatchSource.makeTimerSource(queue: Self.queue)
      timer.setEventHandler { [weak self] in if self?.takeStep() == true { body() } }
      let step = min(limit / .seconds(1), 1e9) / Double(state.withLock { $0.stepsLeft })
      timer.schedule(deadline: .now() + step, repeating: step)
      state.withLock { $0.timer = timer }
      timer.activate()
    }

    /// - Returns: whether it is the last one.
    func takeStep() -> Bool {
      let isLast = state.withLock { state in
        if state.suspensions == 0 { state.stepsLeft -= 1 }
        return state.stepsLeft == 0 && state.suspensions == 0
      }
      if isLast { cancel() }
      return isLast
    }

    var isTicking: Bool { state.withLock { $0.timer != nil } }

    /// Lets the time stand still, or go on once as many have let it go on as had let it stand still.
    func suspend(_ isSuspended: Bool) { state.withLock { $0.suspensions += isSuspended ? 1 : -1 } }

    func cancel() { state.withLock { $0.timer.take() }?.cancel() }

    deinit { cancel() }
  }
#endif
