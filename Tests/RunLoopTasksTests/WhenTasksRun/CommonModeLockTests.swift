import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// The locks of CoreFoundation and of the package, which cannot be seen from outside.
@Suite(.onOwnLoop) struct CommonModeLockTests {
  /// CoreFoundation holds its lock of the loop while it calls the sources of a new common mode. A thread that posts
  /// holds the lock of the package and waits for that lock, so the package must not take its own lock in the call.
  @Test func aModeMayBecomeCommonWhileAnotherThreadPosts() {
    let attachment = Scheduler.current.attachment
    let (scheduled, loop) = (Counter(), LoopReference(CFRunLoopGetCurrent()))
    // CoreFoundation calls the sources in no fixed order. One of so many is called before the package's own source.
    let sources = (1...20).map { _ in
      LoopSource(whenAdded: { _ in
        guard scheduled.count() == 21 else { return }
        let isPosting = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          attachment.withLock { _ in
            isPosting.signal()
            CFRunLoopWakeUp(loop.loop)
          }
        }
        isPosting.waitOrDie("the thread that posts")
      })
    }
    for source in sources { CFRunLoopAddSource(CFRunLoopGetCurrent(), source.cf, RunLoop.Mode.common.cf) }
    let task = RunLoop.current.taskQueue.perform(when: .idle, forModes: [.common]) {}
    RunLoop.current.perform {
      makeCommon(.custom)
      task.when(.nextLoopBegan)
      RunLoop.current.runPass(mode: .custom)
      #expect(task.state == .finished)
    }.when(.nextLoopBegan)
    RunLoop.current.runPass()
    #expect(scheduled.value == 40)
    for source in sources { source.invalidate() }
  }
}
