import Foundation
import Testing

@testable import RunLoopTasks

/// A loop that ends cancels its pending tasks and releases everything.
@Suite(.onOwnLoop) struct EndOfLoopTests {
  @Test func aLoopThatEndsReleasesItsTasks() {
    struct Reference: Sendable { weak let task: RunLoopTask? }
    let references = onLoopThread {
      RunLoopTask.Timing.allCases.map { Reference(task: RunLoop.current.perform {}.when($0).coalesced(by: $0)) }
    }
    waitUntil { references.allSatisfy { $0.task == nil } }
  }

  /// The system releases the data of a thread in rounds until none is left.
  @Test func aTaskScheduledInTheLastRoundOfAThreadsEndIsCancelled() {
    JoinableThread {
      RunLoop.current.perform {}.when(.idle)
      pthread_setspecific(lateKey, UnsafeMutableRawPointer(bitPattern: 1))
    }.join()
    #expect(lateState.value == .cancelled)
  }

  /// The loop reads its messages and ends between the two steps of `cancel()` on another thread.
  @Test func aTaskCancelledWhileItsLoopEndsIsReleased() {
    let log = Log()
    let queue = Box<RunLoopTaskQueue?>(nil)
    let (hasQueue, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread {
      queue.value = RunLoop.current.taskQueue
      hasQueue.signal()
      mayEnd.wait()
      RunLoop.current.runPass()
    }.start()
    hasQueue.waitOrDie("the queue")
    let task: RunLoopTask = {
      let token = Token { log("released") }
      return queue.value!.perform { token.use() }
    }()
    #expect(task.leavePending(for: .cancelled, onLoopThread: true))
    mayEnd.signal()
    waitUntil { log.events == ["released"] }
  }
}

/// The key of data whose destructor sets the data again in the first round and schedules a task in the second.
private let lateKey: pthread_key_t = {
  var key = pthread_key_t()
  let destructor: ThreadDestructor = { round in
    if Int(bitPattern: round) == 1 {
      pthread_setspecific(lateKey, UnsafeMutableRawPointer(bitPattern: 2))
    } else {
      lateState.value = RunLoop.current.perform {}.state
    }
  }
  pthread_key_create(&key, destructor)
  return key
}()

private let lateState = Box<RunLoopTask.State?>(nil)
