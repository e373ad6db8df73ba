import Foundation
import Testing

@testable import RunLoopTasks

/// A `RunLoopSource` at the end of its loop.
@Suite(.onOwnLoop) struct SourceLoopEndTests {
  @Test(arguments: [true, false]) func aSourceDoesNotRetainALoopThatHasEnded(isRemoved: Bool) {
    let source = RunLoopSource<Int> { _ in }
    let scheduler = Box<WeakScheduler?>(nil)
    onLoopThread {
      RunLoop.current.add(source, forMode: .default)
      if isRemoved { RunLoop.current.remove(source, forMode: .default) }
      scheduler.value = WeakScheduler(Scheduler.current)
    }
    waitUntil { scheduler.value?.scheduler == nil }
    #expect(source.isValid)
  }

  @Test func aLoopThatHasEndedAcceptsNoSource() {
    let (log, isOver) = (Log(), Box(false))
    onLoopThread {
      let source = loggedSource(log)
      let token = Token {
        RunLoop.current.add(source, forMode: .default)
        isOver.value = true
      }
      RunLoop.current.perform { token.use() }.when(.idle)
    }
    waitUntil { isOver.value }
    #expect(log.events == [])
  }

  @Test func theEndOfALoopCallsOnCancelOnItsThread() {
    let (log, thread) = (Log(), Box<ThreadID?>(nil))
    let source = RunLoopSource<Int>(
      onCancel: { log("cancelled in \($0.rawValue.suffix(6)), \(ThreadID.current == thread.value)") }, perform: { _ in }
    )
    onLoopThread {
      thread.value = .current
      RunLoop.current.add(source, forMode: .custom)
    }
    waitUntil { log.events.count == 1 }
    #expect(log.events == ["cancelled in custom, true"])
    #expect(source.isValid)
    elsewhere {
      source.send(1)  // The command waits for the next loop.
      RunLoop.current.add(source, forMode: .default)
      log("added")
    }
    #expect(log.events.first == "cancelled in custom, true" && log.events.dropFirst().first == "added")
  }

  @Test func eachOnScheduleIsFollowedByOneOnCancelAsThreadsEnd() {
    let rounds = 200
    let (scheduled, cancelled) = (Counter(), Counter())
    for round in 0..<rounds {
      let source = RunLoopSource<Int>(
        onSchedule: { _ in scheduled.count() }, onCancel: { _ in cancelled.count() }, perform: { _ in })
      let loops = (1...2).map { _ in LoopThread(running: .default) }
      for loop in loops {
        loop.queue.perform {
          RunLoop.current.add(source, forMode: .default)
          RunLoop.current.add(source, forMode: .custom)
        }
      }
      let sent = DispatchSemaphore(value: 0)
      Thread {
        for number in 0..<100 { source.send(number) }
        if round % 3 == 0 { source.invalidate() }
        sent.signal()
      }.start()
      for loop in loops { loop.end() }
      sent.waitOrDie("the sender")
      if round % 3 == 1 { source.invalidate() }
    }
    waitUntil { cancelled.value == scheduled.value }
  }
}
