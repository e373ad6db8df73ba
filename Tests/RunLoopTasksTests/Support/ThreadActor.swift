import Foundation
import RunLoopTasks

/// An actor that runs on a `RunLoopThread`.
actor ThreadActor {
  let thread: RunLoopThread
  private(set) var numbers: [Int] = []
  /// Changed by each method that would not use the actor otherwise. The compiler may run such a method on any thread.
  var calls = 0

  init(_ thread: RunLoopThread = RunLoopThread(name: "worker")) { self.thread = thread }

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// An actor whose thread has ended if it is late.
  static func make(isLate: Bool) async -> ThreadActor {
    let actor = ThreadActor()
    if isLate {
      actor.thread.stop()
      await actor.thread.join()
    }
    return actor
  }

  func add(_ number: Int) { numbers.append(number) }
}

/// Waits for the end of the thread; ends the test process if it does not end in time.
func join(_ thread: RunLoopThread) { elsewhere { thread.join() } }

extension RunLoopThread {
  /// A queue of the thread's loop that does not keep the thread running.
  var looseQueue: RunLoopTaskQueue {
    let (queue, isRead) = (Box<RunLoopTaskQueue?>(nil), DispatchSemaphore(value: 0))
    taskQueue.perform {
      queue.value = RunLoop.current.taskQueue
      isRead.signal()
    }
    isRead.waitOrDie("a task of the thread")
    return queue.value!
  }
}

extension RunLoopThread {
  /// Calls `body` while the thread is in a task, and waits for the thread's end.
  func end(after body: () -> Void) {
    let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    taskQueue.perform(when: .nextLoopBegan) {
      hasBegun.signal()
      mayEnd.waitOrDie("what comes before the end")
    }
    hasBegun.waitOrDie("the task")
    body()
    mayEnd.signal()
    elsewhere { self.join() }
  }

  /// Calls `body` while the thread is in a task, then stops the thread and waits for its end.
  func stopAndJoin(after body: () -> Void) {
    end {
      body()
      stop()
    }
  }

  /// Stops the thread, and calls `body` on it once its last pass is over, so that the drain serves what `body` sends.
  func stop(runningDelayedTasks: Bool = false, beforeDrain body: @escaping @Sendable () -> Void) {
    taskQueue.perform {
      self.stop(runningDelayedTasks: runningDelayedTasks)
      observeOnce(.exit, order: Order.frame, body)
    }
  }
}
