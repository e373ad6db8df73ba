import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// What is attached to a loop, and for how long.
@Suite struct AttachmentTests {
  private typealias Attached = RunLoopTasks.Attachment

  /// Calls `body` with what is attached to a loop.
  private func withAttachment(_ body: @escaping @Sendable (inout Attached) -> Void) {
    onLoopThread { Scheduler.current.attachment.withLock(body) }
  }

  private static func isKeptAlive(_ mode: ModeAnchor) -> Bool {
    CFRunLoopContainsSource(CFRunLoopGetCurrent(), mode.source.cf, mode.cfMode)
  }

  @Test func aModeHasOneAnchor() {
    withAttachment { attached in
      let anchors = [attached.anchor(of: .custom), attached.anchor(of: .custom), attached.anchor(of: .other)]
      #expect(anchors[0] === anchors[1])
      #expect(anchors[0] !== anchors[2])
    }
  }

  @Test func mailThatComesWhileOthersAreReadKeepsItsModesAlive() {
    withAttachment { attached in
      let anchor = attached.anchor(of: .custom)
      attached.post([.custom])
      attached.readMail()
      attached.post([.custom])
      let isEmptiedTooEarly = attached.releaseMail()
      #expect(!isEmptiedTooEarly && Self.isKeptAlive(anchor))
      attached.readMail()
      let isEmptied = attached.releaseMail()
      #expect(isEmptied && !Self.isKeptAlive(anchor))
    }
  }

  @Test func eachMailKeepsItsModesAlive() {
    withAttachment { attached in
      let anchor = attached.anchor(of: .custom)
      for modes in [[.custom, .default], [.custom], [.custom]] as [[RunLoop.Mode]] {
        for modes in [modes, [.default], modes] {
          attached.post(modes)
          #expect(Self.isKeptAlive(anchor))
        }
        attached.readMail()
        let isEmptied = attached.releaseMail()
        #expect(isEmptied && !Self.isKeptAlive(anchor))
      }
    }
  }

  @Test(arguments: [[RunLoop.Mode.custom, .other], [.other, .custom]])
  func oneOfSeveralModesMayBecomeEmpty(modes: [RunLoop.Mode]) {
    withAttachment { attached in
      let other = attached.anchor(of: .other)
      attached.hold(other, for: .lanes)
      for mode in modes { attached.post([mode]) }
      attached.readMail()
      let isEmptied = (attached.releaseMail(), attached.release(other, for: .lanes))
      #expect(isEmptied == (true, true))
      #expect(!Self.isKeptAlive(other))
    }
  }

  @Test func aModeIsHeldAsLongAsOneHolderIsLeft() {
    withAttachment { attached in
      let anchor = attached.anchor(of: .custom)
      let isNew = (attached.hold(anchor, for: .lanes), attached.hold(anchor, for: .mail))
      #expect(isNew == (true, false))
      let isEmptiedTooEarly = attached.release(anchor, for: .lanes)
      #expect(!isEmptiedTooEarly && Self.isKeptAlive(anchor))
      let isEmptied = attached.release(anchor, for: .mail)
      #expect(isEmptied && !Self.isKeptAlive(anchor))
    }
  }

  @Test func mailForAModeWithTasksLeavesItAsItWas() {
    withAttachment { attached in
      let anchor = attached.anchor(of: .custom)
      attached.hold(anchor, for: .lanes)
      attached.post([.custom])
      attached.readMail()
      let isEmptied = attached.releaseMail()
      #expect(!isEmptied && Self.isKeptAlive(anchor))
    }
  }

  @Test func aModeThatComesAndGoesIsKeptOnce() {
    withAttachment { attached in
      let anchor = attached.anchor(of: .custom)
      for _ in 1...3 {
        attached.hold(anchor, for: .lanes)
        _ = attached.release(anchor, for: .lanes)
      }
      #expect(attached.held.count == 1)
    }
  }

  @Test func afterTheEndNothingIsHeld() {
    withAttachment { attached in
      let anchor = attached.anchor(of: .custom)
      _ = attached.end()
      let isHeld = (attached.hold(anchor, for: .lanes), attached.release(anchor, for: .lanes))
      #expect(isHeld == (false, false))
    }
  }

  @Test func theLockIsNotWaitedForWhereThatMightBeForEver() {
    let locked = Locked(0)
    let isTaken = locked.withLock { _ in
      let wasCalled = Box(true)
      elsewhere { wasCalled.value = locked.withLockIfAvailable { _ in Issue.record("another thread has the lock") } }
      return !wasCalled.value
    }
    #expect(isTaken)
    for number in 1...2 {
      let wasCalled = locked.withLockIfAvailable { $0 += 1 }
      #expect(wasCalled && locked.withLock { $0 } == number)
    }
  }

  @Test func observersForNestedRunsGoWhenTheLoopRests() {
    onLoopThread {
      let keepAlive = KeepAlive()
      func observers() -> Int { Scheduler.current.attachment.withLock { $0.observers.count } }
      let before = observers()
      RunLoop.current.perform {
        RunLoop.current.runPass()
        #expect(observers() > before)
      }.when(.currentLoopEnded)
      letTheLoopRest()
      #expect(observers() == before)
      withExtendedLifetime(keepAlive) {}
    }
  }

  @Test func aSeatThatIsTakenAwayLeavesNothing() {
    onLoopThread {
      let (loop, mode) = (CFRunLoopGetCurrent()!, RunLoop.Mode.custom)
      let seat = SourceSeat(source: LoopSource(), watch: LoopObserver(.beforeWaiting, order: 0) { _ in })
      func isThere() -> (Bool, Bool) {
        (
          CFRunLoopContainsSource(loop, seat.source.cf, mode.cfMode),
          CFRunLoopContainsObserver(loop, seat.watch.cf, mode.cfMode)
        )
      }
      seat.add(to: mode, of: loop)
      #expect(isThere() == (true, true))
      seat.remove(from: mode, of: loop)
      #expect(isThere() == (false, false))
    }
  }

  @Test func aWakeTimerWakesOnce() {
    onLoopThread {
      let loop = CFRunLoopGetCurrent()!
      let timer = WakeTimer(loop, in: RunLoop.Mode.default.cfMode, after: 0)
      run()  // which nothing else keeps alive
      #expect(!timer.cancel())
      #expect(WakeTimer(loop, in: RunLoop.Mode.default.cfMode, after: 0).cancel())
    }
  }

  /// Another thread that wakes a loop uses it outside the lock.
  @Test func aLoopDoesNotEndWhileItIsBeingWoken() {
    let (log, ending) = (Log(), Box<Scheduler?>(nil))
    let (isReady, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      let token = Token { log("released") }
      RunLoop.current.perform { token.use() }.when(.currentLoopEnded)
      ending.value = .current
      isReady.signal()
      mayEnd.waitOrDie("the test")
    }
    isReady.waitOrDie("the thread")
    guard let scheduler = ending.value else { fatalError("the thread has no loop") }
    scheduler.bell.withLock {
      mayEnd.signal()
      waitUntil { scheduler.attachment.withLock { $0.loop == nil } }
      Thread.sleep(forTimeInterval: 0.01)  // in which a loop that does not wait would release its task
      log("woken")
    }
    waitUntil { log.events.count == 2 }
    #expect(log.events == ["woken", "released"])
  }

  @Test func whoWakesALoopToReadItsMailKeepsItFromEnding() {
    let events = eventsOnLoopThread { log in
      let scheduler = Scheduler.current
      let queue = RunLoop.current.taskQueue
      scheduler.bell.withLock {
        Thread.detachNewThread {
          queue.perform { log("task") }
          log("posted")
        }
        waitUntil { scheduler.hasMail.load(ordering: .relaxed) }
        Thread.sleep(forTimeInterval: 0.01)  // in which a thread that does not wait for the bell would go on
        // It waits under the lock, without which the loop could end meanwhile.
        #expect(!scheduler.attachment.withLockIfAvailable { _ in })
        log("bell")
      }
      waitUntil { log.events.count == 2 }
    }
    #expect(events == ["bell", "posted"])
  }

  @Test func anObserverThatEndedIsOffTheLoop() {
    onLoopThread {
      RunLoop.current.observe(.all, forModes: [.default, .custom]) { _ in }.invalidate()
      let left = Scheduler.current.attachment.withLock { $0.end() }
      #expect(left.observations.isEmpty)
    }
  }

  @Test func theEndTakesSourcesOffTheLoop() {
    onLoopThread {
      let source = RunLoopSource<Int> { _ in }
      RunLoop.current.add(source, forMode: .custom)
      func isInLoop(_ seat: SourceSeat) -> Bool {
        CFRunLoopContainsSource(CFRunLoopGetCurrent(), seat.source.cf, RunLoop.Mode.custom.cfMode)
      }
      let left = Scheduler.current.attachment.withLock { $0.end() }
      #expect(left.sources.count == 1 && !isInLoop(left.sources[0].seat))
    }
  }

  @Test func theEndLeavesNothingOnTheLoop() {
    onLoopThread {
      let keepAlive = KeepAlive()
      let scheduler = Scheduler.current
      RunLoop.current.perform {}.when(.currentLoopEnded)
      let anchor = scheduler.default.entries[0].anchor
      #expect(Self.isKeptAlive(anchor))
      _ = scheduler.attachment.withLock { $0.end() }
      #expect(!Self.isKeptAlive(anchor))
      poll()
      #expect(scheduler.runs.isEmpty && scheduler.tasksRun == 0)
      withExtendedLifetime(keepAlive) {}
    }
  }

  @Test func observersAndSourcesLetGoOfTheirClosures() {
    let events = eventsOnLoopThread { log in
      func observe() -> LoopObserver {
        let token = Token { log("observer") }
        return LoopObserver(.all, order: 0) { _ in token.use() }
      }
      observe().invalidate()
      func addSource() -> LoopSource {
        let token = Token { log("source") }
        return LoopSource { token.use() }
      }
      addSource().invalidate()
      log("end")
    }
    #expect(events == ["observer", "source", "end"])
  }
}

extension RunLoopTasks.Attachment {
  fileprivate mutating func post(_ modes: [RunLoop.Mode]) {
    let task = RunLoopTask(.current, fileID: #fileID, line: #line) {}
    let receipt = post(.schedule(Post(task: task, timing: .idle, modes: modes, key: nil)))
    #expect(receipt != .refused)
  }

  fileprivate mutating func readMail() { _ = takeMail() }
}
