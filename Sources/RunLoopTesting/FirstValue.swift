#if canImport(Testing)
  import RunLoopTasks

  /// A value for one waiting caller, from the first of several that may give it.
  final class FirstValue<Value: Sendable>: Sendable {
    private struct State {
      var isClaimed = false
      var value: Value?
      var waiting: CheckedContinuation<Value, Never>?
    }

    private let state = Locked(State())

    var isClaimed: Bool { state.withLock { $0.isClaimed } }

    /// - Returns: whether the caller is the first, and so the one that gives the value.
    func claim() -> Bool { state.withLock { !exchange(&$0.isClaimed, with: true) } }

    func set(_ value: Value) {
      let waiting = state.withLock { state in
        state.value = value
        return state.waiting
      }
      waiting?.resume(returning: value)
    }

    /// The value, once it is there. Only one caller may wait.
    var value: Value {
      get async {
        await withCheckedContinuation { continuation in
          let value = state.withLock { state in
            if state.value == nil { state.waiting = continuation }
            return state.value
          }
          if let value { continuation.resume(returning: value) }
        }
      }
    }
  }
#endif
