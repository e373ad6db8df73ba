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

      let (loop, log, asleep) = (LoopThread(), Log(), Locked<pthread_t?>(nil))
      loop.perform {
        unblockSignal()
        asleep.withLock { $0 = pthread_self() }
        keepAlive(.default)
        observe([.afterWaiting, .exit]) { log("\($0)") }
      }
      let running = JoinableThread { loop.perform { run() } }
      waitUntil { loop.isSleeping }
      for _ in 1...500 {
        let before = signalCount.value
        pthread_kill(asleep.withLock { $0! }, SIGUSR1)
        waitUntil { signalCount.value > before }
      }
      #expect(log.events == [])
      loop.queue.perform { log.andStop("task") }
      running.join()
      #expect(log.events == ["afterWaiting", "task", "exit"])
      loop.end()
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
