import CoreFoundation
import Foundation
import RunLoopTasks
import Synchronization

extension Peer {
  /// The nanoseconds for a thread with a run loop: its start, one task, the stop, and the wait for its end.
  func threads(times: Int) -> Double {
    let ran = Atomic(0)
    let useThreads: (Int) -> Duration = { count in
      let before = ran.load(ordering: .acquiring)
      defer {
        let number = ran.load(ordering: .acquiring) - before
        if number != count { fatalError("\(number) tasks ran instead of \(count)") }
      }
      return ContinuousClock().measure {
        for _ in 0..<count { useThread { ran.add(1, ordering: .releasing) } }
      }
    }
    _ = useThreads(times / 10 + 1)  // makes the one-time allocations
    return useThreads(times).nanoseconds / Double(times)
  }

  private func useThread(_ task: @escaping @Sendable () -> Void) {
    switch self {
    case .ours:
      let thread = RunLoopThread(name: "worker")
      thread.taskQueue.perform(task)
      thread.stop()
      thread.join()
    case .perform:
      let thread = HandWrittenThread()
      thread.perform(task)
      thread.stop()
      thread.join()
    default: fatalError("\(heading) has no thread with a run loop")
    }
  }
}

/// A `Thread` that runs its loop until it is stopped, as programs write it by hand.
private final class HandWrittenThread: @unchecked Sendable {
  // Unchecked, because the thread sets `loop` before `init` returns. CoreFoundation's calls may be made on any thread.

  private var loop: CFRunLoop?
  private let hasEnded = DispatchSemaphore(value: 0)

  init() {
    let isReady = DispatchSemaphore(value: 0)
    Thread { [self] in
      loop = CFRunLoopGetCurrent()
      // A loop without a source returns at once.
      var context = CFRunLoopSourceContext()
      CFRunLoopAddSource(loop, CFRunLoopSourceCreate(nil, 0, &context), MainLoop.defaultMode)
      isReady.signal()
      CFRunLoopRun()
      hasEnded.signal()
    }.start()
    isReady.wait()
  }

  func perform(_ task: @escaping @Sendable () -> Void) {
    #if canImport(Darwin)
      CFRunLoopPerformBlock(loop, MainLoop.defaultMode.rawValue, task)
    #else
      CFRunLoopPerformBlock(loop, MainLoop.defaultMode, task)
    #endif
    CFRunLoopWakeUp(loop)
  }

  /// Stops the loop in a task, because the loop ignores a stop that comes before its run.
  func stop() { perform { CFRunLoopStop(CFRunLoopGetCurrent()) } }

  func join() { hasEnded.wait() }
}
