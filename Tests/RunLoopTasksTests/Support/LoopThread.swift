import CoreFoundation
import Foundation
import RunLoopTasks

/// A thread with a run loop, for tests that use the loop from other threads.
final class LoopThread: Sendable {
  let queue: RunLoopTaskQueue
  let id: ThreadID
  private let loop: LoopReference
  /// How many times the loop was about to sleep in the mode in which it runs.
  let passes = Counter()
  private let jobs: Jobs
  private let isDone: DispatchSemaphore

  /// Starts the thread. Its loop runs in `mode` until `end`. If `mode` is `nil`, the loop runs only inside `perform`.
  ///
  /// - Parameter setUp: what the thread does first.
  init(running mode: RunLoop.Mode? = nil, _ setUp: @escaping @Sendable () -> Void = {}) {
    let (jobs, isDone) = (Jobs(), DispatchSemaphore(value: 0))
    let made = Box<(RunLoopTaskQueue, ThreadID, LoopReference)?>(nil)
    let isReady = DispatchSemaphore(value: 0)
    Thread { [passes] in
      setUp()
      made.value = (RunLoop.current.taskQueue, .current, LoopReference(CFRunLoopGetCurrent()))
      if let mode {
        let keepAlive = ModeHolder(mode)
        observe(.beforeWaiting, in: mode, order: Order.last) { _ in
          passes.count()
          isReady.signal()
        }
        run(mode)
        withExtendedLifetime(keepAlive) {}
      } else {
        isReady.signal()
        while let job = jobs.next() { job() }
      }
      isDone.signal()
    }.start()
    isReady.waitOrDie("the start of a loop's thread")
    (queue, id, loop) = made.value!
    (self.jobs, self.isDone) = (jobs, isDone)
  }

  deinit { jobs.add(nil) }  // ends a thread whose loop does not run by itself

  /// Whether the loop sleeps at this moment.
  var isSleeping: Bool { CFRunLoopIsWaiting(loop.loop) }

  func wakeUp() { CFRunLoopWakeUp(loop.loop) }

  /// Makes a mode a common mode, from any thread.
  func makeCommon(_ mode: RunLoop.Mode) { CFRunLoopAddCommonMode(loop.loop, mode.cf) }

  /// Calls `body` on a thread whose loop does not run by itself, and waits for it.
  func perform(_ body: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    jobs.add {
      body()
      isDone.signal()
    }
    isDone.waitOrDie("a job on a loop's thread")
  }

  /// Ends the thread.
  func end() {
    jobs.add(nil)
    let deadline = DispatchTime.now() + watchdog
    repeat {
      CFRunLoopStop(loop.loop)  // A nested run may consume one stop.
      if DispatchTime.now() > deadline { fatalError("watchdog: timed out waiting for the end of a loop's thread") }
    } while isDone.wait(timeout: .now() + .milliseconds(10)) == .timedOut
  }
}

private struct LoopReference: @unchecked Sendable {
  // Unchecked, because these functions are safe on any thread: wake up, stop, add a common mode, is waiting.
  let loop: CFRunLoop
  init(_ loop: CFRunLoop) { self.loop = loop }
}

extension LoopThread {
  /// Waits until a task of another thread has come in. It is counted a little before it is sent.
  func waitForTask() async {
    let list = Box("")
    await eventually {
      perform { [queue] in list.value = queue.debugDescription }  // which reads what was sent
      return list.value.hasPrefix("RunLoopTaskQueue, 1 pending")
    }
  }

  /// Calls `body` with the queue of a loop that sleeps in `mode`.
  static func withSleepingLoop(_ mode: RunLoop.Mode = .default, _ body: (RunLoopTaskQueue) -> Void) {
    let loop = LoopThread(running: mode)
    waitUntil { loop.isSleeping }
    body(loop.queue)
    loop.end()
  }
}

/// The queue of a loop whose thread has ended.
func endedQueue() -> RunLoopTaskQueue {
  let queue = Box<RunLoopTaskQueue?>(nil)
  JoinableThread { queue.value = RunLoop.current.taskQueue }.join()
  return queue.value!
}
