import Foundation

/// Calls `body` on a new thread, which has a run loop of its own, and returns the value of `body`.
func onLoopThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
  let result = Box<Value?>(nil)
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    let value = body()
    result.value = value
    done.signal()
  }
  thread.start()
  done.waitOrDie("a test's thread")
  return result.value!
}

/// Calls `body` on another thread and waits for it.
func elsewhere(_ body: @escaping @Sendable () -> Void) { onLoopThread(body) }

/// `RunLoop.current`, which is not available in async code.
func currentLoop() -> RunLoop { .current }

/// The identity of a thread, which remains valid while the thread ends.
struct ThreadID: Equatable, @unchecked Sendable {
  // Unchecked, because on Apple's platforms it is a pointer, which is only compared.
  private let thread = pthread_self()

  /// Not optimized, because the compiler would reuse one result throughout an async function.
  static var current: ThreadID {
    @_optimize(none) get { ThreadID() }
  }
}
