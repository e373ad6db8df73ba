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

/// Calls `body` on the current thread, or on another one.
func call(onOwnThread: Bool, _ body: @escaping @Sendable () -> Void) {
  if onOwnThread { body() } else { elsewhere(body) }
}

/// The identity of a thread, which remains valid while the thread ends.
struct ThreadID: Equatable, @unchecked Sendable {
  // Unchecked, because on Apple's platforms it is a pointer, which is only compared.
  private let thread = pthread_self()

  /// Not optimized, because the compiler would reuse one result throughout an async function.
  static var current: ThreadID {
    @_optimize(none) get { ThreadID() }
  }
}

/// Ends the current thread by `exit`.
func exitThread() {
  // The address sanitizer does not notice this end of the thread, and would consider its stack live.
  if let forgetStack = symbol("__asan_handle_no_return") {
    unsafeBitCast(forgetStack, to: (@convention(c) () -> Void).self)()
  }
  Thread.exit()
}

/// The address of a symbol of this process.
func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(dlopen(nil, RTLD_NOW), name) }

/// Keeps the thread busy; without an argument, for longer than a slice of idle tasks.
func spin(for duration: Duration = .milliseconds(5)) {
  let start = ContinuousClock.now
  while .now < start + duration {}
}
