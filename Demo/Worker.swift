import Foundation
import RunLoopTasks

/// The secondary thread: it lives on its run loop, and computes alphas when it is asked to.
final class Worker: Sendable {
  /// The thread's run loop, for other threads.
  private let queue: RunLoopTaskQueue

  init() {
    nonisolated(unsafe) var queue: RunLoopTaskQueue?  // written before the signal, read after it
    let (hasStarted, isReady) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = Thread {
      hasStarted.wait()  // on Linux `start` sets a name of its own, at any time before it returns
      Thread.current.name = "secondary"
      queue = RunLoop.current.taskQueue
      // Tasks keep a run alive only while they are pending. A timer that never fires does so for good.
      RunLoop.current.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
      isReady.signal()
      while RunLoop.current.run(mode: .default, before: .distantFuture) {}
    }
    thread.start()
    hasStarted.signal()
    isReady.wait()
    self.queue = queue!
  }

  /// Computes `count` alphas on the secondary thread, at the end of its pass.
  ///
  /// - Parameter answer: called there with the name of the thread and the alphas.
  func computeAlphas(_ count: Int, answer: @escaping @Sendable (_ thread: String, _ alphas: [Double]) -> Void) {
    queue.perform(when: .currentLoopEnded) {
      answer(currentThreadName(), (0..<count).map { _ in Double.random(in: 0...1) })
    }
  }
}

/// What the thread that asks is called.
func currentThreadName() -> String {
  Thread.isMainThread ? "main" : Thread.current.name ?? "unnamed"
}
