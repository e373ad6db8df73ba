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
