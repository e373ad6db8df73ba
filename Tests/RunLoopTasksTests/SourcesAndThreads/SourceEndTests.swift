import Foundation
import RunLoopTasks
import Testing

/// The end of a `RunLoopSource` by `invalidate`, and the end of a loop that has a source.
@Suite(.onOwnLoop) struct SourceEndTests {
  let log = Log()

  @Test func invalidatingRemovesTheSourceFromEveryMode() {
    let loop = LoopThread(running: .default)
    let source = loggedSource(log)
    loop.queue.addAndWait(source, forModes: [.custom, .default])
    #expect(source.isValid)
    #expect(log.events == ["scheduled in custom", "scheduled in default"])
    source.invalidate()
    source.invalidate()
    #expect(!source.isValid && !source.send(1))
    loop.end()
    #expect(log.events.dropFirst(2).sorted() == ["cancelled in custom", "cancelled in default"])
  }

  @Test func aSourceThatHasLeftItsLoopMayBeAddedToAnother() {
    let source = loggedSource(log)
    let loop = LoopThread()
    loop.perform {
      RunLoop.current.add(source, forMode: .default)
      RunLoop.current.remove(source, forMode: .default)
    }
    RunLoop.current.add(source, forMode: .custom)
    source.send(1)
    RunLoop.current.runPass(mode: .custom)
    loop.end()
    #expect(log.events == ["scheduled in default", "cancelled in default", "scheduled in custom", "[1]"])
  }

  @Test func anInvalidSourceAcceptsNoCommandsAndNoLoops() {
    let source = loggedSource(log)
    source.send(1)
    source.invalidate()
    #expect(!source.send(2))
    RunLoop.current.add(source, forMode: .default)
    #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
    #expect(log.events == [])
  }

  @Test func invalidatingReleasesTheClosures() {
    let source = Box<RunLoopSource<Int>?>(nil)
    do {
      let token = Token { log("released") }
      source.value = RunLoopSource(onCancel: { _ in token.use() }) { _ in
        token.use()
        source.value!.invalidate()  // The closure captures its own source.
        log("invalidated")
      }
      RunLoop.current.add(source.value!, forMode: .default)
    }
    source.value!.send(1)
    RunLoop.current.runPass()
    log("end")
    #expect(log.events == ["invalidated", "released", "end"])
  }

  @Test func theCommandsAreNotReleasedUnderALock() {
    let source = RunLoopSource<Token> { _ in }
    source.send(Token { log("\(source.isValid)") })
    source.invalidate()
    #expect(log.events == ["false"])
  }

  // MARK: the end of a loop

  @Test(arguments: [true, false]) func aSourceDoesNotRetainALoopThatHasEnded(isRemoved: Bool) {
    let source = RunLoopSource<Int> { _ in }
    let engine = onLoopThread {
      RunLoop.current.add(source, forMode: .default)
      if isRemoved { RunLoop.current.remove(source, forMode: .default) }
      return WeakScheduler.current
    }
    waitUntil { engine.isReleased }
    #expect(source.isValid == isRemoved)
  }

  @Test func aSourceEndsWithItsLoopAndCallsOnCancelOnItsThread() {
    let thread = Box<ThreadID?>(nil)
    let source = RunLoopSource<Int>(
      onCancel: { log("cancelled in \($0.shortName), \(ThreadID.current == thread.value)") }, perform: { _ in }
    )
    onLoopThread {
      thread.value = .current
      RunLoop.current.add(source, forMode: .custom)
    }
    waitUntil { log.events.count == 1 }
    #expect(log.events == ["cancelled in custom, true"])
    #expect(!source.isValid && !source.send(1))
    RunLoop.current.add(source, forMode: .default)
    #expect(!source.isValid)
    #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
    #expect(log.events.count == 1)
  }

  @Test func theEndOfALoopReleasesClosuresAndCommands() {
    let source = Box<RunLoopSource<Token>?>(nil)
    JoinableThread {
      let token = Token { log("closure") }
      source.value = RunLoopSource { _ in token.use() }
      RunLoop.current.add(source.value!, forMode: .default)
      source.value!.send(Token { log("command") })
    }.join()
    #expect(log.events.sorted() == ["closure", "command"])
    #expect(!source.value!.send(Token { log("late command") }))
    #expect(log.events.last == "late command")
  }

  @Test func aSourceThatWasRemovedBeforeTheEndGoesOn() {
    let source = loggedSource(log)
    JoinableThread {
      RunLoop.current.add(source, forMode: .default)
      RunLoop.current.add(source, forMode: .custom)
      for mode in [RunLoop.Mode.default, .custom] { RunLoop.current.remove(source, forMode: mode) }
      source.send(1)
    }.join()
    #expect(source.isValid)
    RunLoop.current.add(source, forMode: .default)
    RunLoop.current.runPass()
    #expect(log.events.last == "[1]")
  }

  @Test func eachOnScheduleIsFollowedByOneOnCancelAsThreadsEnd() {
    let (scheduled, cancelled) = (Counter(), Counter())
    for round in 0..<60 {
      let source = RunLoopSource<Int>(
        onSchedule: { _ in scheduled.count() }, onCancel: { _ in cancelled.count() }, perform: { _ in })
      let loop = LoopThread(running: .default)
      loop.queue.perform {
        RunLoop.current.add(source, forMode: .default)
        RunLoop.current.add(source, forMode: .custom)
      }
      let sender = JoinableThread {
        for number in 0..<100 { source.send(number) }
        if round % 3 == 0 { source.invalidate() }
      }
      loop.end()
      sender.join()
      if round % 3 == 1 { source.invalidate() }
    }
    waitUntil { cancelled.value == scheduled.value }
  }
}
