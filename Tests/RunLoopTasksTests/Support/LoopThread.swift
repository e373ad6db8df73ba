import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// A thread with a run loop, for tests that look at it from outside.
final class LoopThread: Sendable {
  let queue: RunLoopTaskQueue
  let id: ThreadID
  private let loop: LoopReference
  private let jobs: Jobs
  private let isDone: DispatchSemaphore

  /// Starts the thread. Its loop runs in `mode` until `end`, or if that is `nil`, only if `perform` runs it.
  init(running mode: RunLoop.Mode? = nil) {
    let (jobs, isDone) = (Jobs(), DispatchSemaphore(value: 0))
    let made = Box<(RunLoopTaskQueue, ThreadID, LoopReference)?>(nil)
    let isReady = DispatchSemaphore(value: 0)
    Thread {
      made.value = (RunLoop.current.taskQueue, .current, LoopReference(CFRunLoopGetCurrent()))
      if let mode {
        let keepAlive = ModeHolder(mode)
        observe(.beforeWaiting, in: mode, order: Order.last) { _ in isReady.signal() }
        run(mode)
        withExtendedLifetime(keepAlive) {}
      } else {
        isReady.signal()
        while let job = jobs.next() { job() }
      }
      isDone.signal()
    }.start()
    isReady.waitOrDie("a loop's thread")
    (queue, id, loop) = made.value!
    (self.jobs, self.isDone) = (jobs, isDone)
  }

  /// Whether the loop sleeps at this moment.
  var isSleeping: Bool { CFRunLoopIsWaiting(loop.loop) }

  /// Makes a mode a common one, from whatever thread.
  func makeCommon(_ mode: RunLoop.Mode) { CFRunLoopAddCommonMode(loop.loop, mode.cfMode) }

  /// Calls `body` on the thread, whose loop does not run by itself, and waits for it.
  func perform(_ body: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    jobs.add {
      body()
      isDone.signal()
    }
    isDone.waitOrDie("a job of a loop's thread")
  }

  /// Lets the thread end.
  func end() {
    jobs.add(nil)
    let deadline = DispatchTime.now() + watchdog
    repeat {
      CFRunLoopStop(loop.loop)  // once may be too little: a nested run could take it for its own
      if DispatchTime.now() > deadline { fatalError("watchdog: a loop's thread did not end") }
    } while isDone.wait(timeout: .now() + .milliseconds(10)) == .timedOut
  }
}

struct LoopReference: @unchecked Sendable {
  // Unchecked, because CoreFoundation guards what is used of it: waking, stopping, its common modes, and asking whether it sleeps.
  let loop: CFRunLoop
  init(_ loop: CFRunLoop) { self.loop = loop }
}

/// What a thread has to do; `nil` is the end.
private final class Jobs: Sendable {
  private let list = Locked<[(@Sendable () -> Void)?]>([])
  private let hasJob = DispatchSemaphore(value: 0)

  func add(_ job: (@Sendable () -> Void)?) {
    list.withLock { $0.append(job) }
    hasJob.signal()
  }

  func next() -> (@Sendable () -> Void)? {
    hasJob.wait()
    return list.withLock { $0.removeFirst() }
  }
}

/// The queue of a loop whose thread has ended.
func endedQueue() -> RunLoopTaskQueue {
  let queue = onLoopThread { RunLoop.current.taskQueue }
  waitUntil { queue.scheduler.attachment.withLock { $0.loop == nil } }
  return queue
}

/// Waits, without blocking a thread, for something that nothing tells us of.
///
/// All tests share the few threads that async code has, and one that yields may have to let most others go first: so the
/// watchdog counts turns as well as time. A thread must not wait for the test to go on with a watchdog of its own.
func eventually(_ condition: () -> Bool) async {
  let start = DispatchTime.now()
  var turns = 0
  while !condition() {
    turns += 1
    let isLate = turns > 1_000 && DispatchTime.now() > start + watchdog
    if isLate { fatalError("watchdog: what was waited for did not happen") }
    await Task.yield()
  }
}
