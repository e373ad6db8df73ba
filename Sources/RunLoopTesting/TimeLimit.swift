#if canImport(Testing)
  import Dispatch
  import RunLoopTasks

  /// Calls a closure once a time has passed, unless it is cancelled before.
  final class TimeLimit: Sendable {
    private static let queue = DispatchQueue(label: "RunLoopTesting.limits")
    private let timer: Locked<(any DispatchSourceTimer)?>

    init(_ limit: Duration, _ body: @escaping @Sendable () -> Void) {
      // In steps, because time also passes while a debugger stops the process, which then takes one step.
      let steps = 10
      let step = min(limit / .seconds(1), 1e9) / Double(steps)
      let timer = DispatchSource.makeTimerSource(queue: Self.queue)
      var stepsTaken = 0
      timer.setEventHandler {
        stepsTaken += 1
        if stepsTaken == steps { body() }
      }
      timer.schedule(deadline: .now() + step, repeating: step)
      timer.activate()
      self.timer = Locked(timer)
    }

    func cancel() { timer.withLock { $0.take() }?.cancel() }

    deinit { cancel() }
  }
#endif
