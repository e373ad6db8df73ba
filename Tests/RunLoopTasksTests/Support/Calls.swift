import RunLoopTasks

/// A closure that calls `body` when it is released.
///
/// A test passes the closure on at once, so that it holds no reference of its own.
func closure(whenReleased body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
  let token = Token(body)
  return { token.use() }
}

/// Calls `body` on the current thread, or on another one.
func call(onOwnThread: Bool, _ body: @escaping @Sendable () -> Void) {
  if onOwnThread { body() } else { elsewhere(body) }
}

/// What `logActivities` logs of a pass in which no task runs.
let emptyPass = ["entry", "beforeWaiting", "afterWaiting", "exit"]
