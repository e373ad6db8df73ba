#if os(macOS) || os(Linux)  // Other platforms may not send signals to threads.
  import Foundation
  import Testing

  @testable import RunLoopTasks

  /// Signals that interrupt a sleeping loop.
  @Suite(.onOwnLoop) struct SignalTests {
    @Test func aSignalDoesNotWakeTheLoop() {
      var (action, old) = (sigaction(), sigaction())
      #if canImport(Darwin)
        action.__sigaction_u.__sa_handler = { _ in signalCount.count() }
      #else
        action.__sigaction_handler.sa_handler = { _ in signalCount.count() }
      #endif
      sigaction(SIGUSR1, &action, &old)  // Without SA_RESTART, the signal interrupts system calls.
      defer { sigaction(SIGUSR1, &old, nil) }

      let (log, asleep, isDone) = (Log(), Locked<pthread_t?>(nil), DispatchSemaphore(value: 0))
      let ready = DispatchSemaphore(value: 0)
      let queue = Box<RunLoopTaskQueue?>(nil)
      Thread {
        unblockSignal()
        let keepAlive = ModeHolder()
        queue.value = RunLoop.current.taskQueue
        asleep.withLock { $0 = pthread_self() }
        observe([.afterWaiting, .exit]) { log($0.name) }
        observe(.beforeWaiting, order: Order.last) { _ in ready.signal() }
        _ = RunLoop.current.run(mode: .default, before: .distantFuture)
        withExtendedLifetime(keepAlive) {}
        isDone.signal()
      }.start()
      ready.waitOrDie("the loop to go to sleep")
      for _ in 1...500 {
        let before = signalCount.value
        pthread_kill(asleep.withLock { $0! }, SIGUSR1)
        waitUntil { signalCount.value > before }
      }
      #expect(log.events == [])
      queue.value!.perform {
        log("task")
        stopRun()
      }
      isDone.waitOrDie("the end of the run")
      #expect(log.events == ["afterWaiting", "task", "exit"])
    }
  }

  /// The number of handled signals. It is global because a signal handler can capture nothing.
  private let signalCount = Counter()

  /// Unblocks the signal of the test. A thread inherits the signal mask of its parent, and Dispatch's threads block all
  /// signals.
  private func unblockSignal() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGUSR1)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
#endif
