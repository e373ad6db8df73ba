import CoreFoundation
import Foundation
import RunLoopTasks

extension Peer {
  /// The nanoseconds for a thread with a run loop: its start, one task, the stop, and the wait for its end.
  func threads(times: Int) -> Double {
    useThread { work(1) }  // makes the one-time allocations
    return Work.shared.expect(times) {
      ContinuousClock().measure { for _ in 0..<times { useThread { work(1) } } }.nanoseconds / Double(times)
    }
  }

  private func useThread(_ task: @escaping @Sendable () -> Void) {
    switch self {
    case .ours:
      let thread = RunLoopThread(name: "worker")
      thread.taskQueue.perform(task)
      thread.stop()
      thread.join()
    case .perform: useHandWrittenThread(task)
    default: fatalError("\(heading) has no thread with a run loop")
    }
  }

  /// Uses a `Thread` that runs its loop until it is stopped, as programs write it by hand.
  private func useHandWrittenThread(_ task: @escaping @Sendable () -> Void) {
    let (isReady, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    nonisolated(unsafe) var loop: CFRunLoop?  // safe, because the thread sets it before this one goes on
    Thread {
      loop = CFRunLoopGetCurrent()
      // A loop without a source returns at once.
      var context = CFRunLoopSourceContext()
      CFRunLoopAddSource(loop, CFRunLoopSourceCreate(nil, 0, &context), MainLoop.defaultMode)
      isReady.signal()
      CFRunLoopRun()
      hasEnded.signal()
    }.start()
    isReady.wait()
    // Stops the loop in a block, because the loop ignores a stop that comes before its run.
    for block in [task, { CFRunLoopStop(CFRunLoopGetCurrent()) }] {
      #if canImport(Darwin)
        CFRunLoopPerformBlock(loop, MainLoop.defaultMode.rawValue, block)
      #else
        CFRunLoopPerformBlock(loop, MainLoop.defaultMode, block)
      #endif
      CFRunLoopWakeUp(loop)
    }
    hasEnded.wait()
  }
}
