import Foundation
import RunLoopTasks
import Testing

/// `RunLoopSource.invalidate` and `isValid`.
@Suite(.onOwnLoop) struct SourceInvalidationTests {
  let log = Log()

  @Test func invalidatingRemovesTheSourceFromEveryLoop() {
    let log = Log()
    let loops = [LoopThread(running: .default), LoopThread(running: .default)]
    let source = loggedSource(log)
    for loop in loops { loop.queue.addAndWait(source, forModes: [.custom, .default]) }
    #expect(source.isValid)
    #expect(log.events == ["scheduled in custom", "scheduled in ltMode", "scheduled in custom", "scheduled in ltMode"])
    source.invalidate()
    source.invalidate()
    #expect(!source.isValid)
    #expect(
      log.events.dropFirst(4).sorted()
        == ["cancelled in custom", "cancelled in custom", "cancelled in ltMode", "cancelled in ltMode"])
    #expect(!source.send(1))
    for loop in loops { loop.end() }
    #expect(log.events.count == 8)
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

  @Test func invalidatingTheLastSourceFromAnotherThreadEndsTheRun() {
    let source = RunLoopSource<Int> { _ in }
    RunLoop.current.add(source, forMode: .default)
    observe(.beforeWaiting, order: Order.last) { _ in elsewhere { source.invalidate() } }
    run()
  }

  /// Another thread invalidates the source while it is being added.
  @Test func onScheduleReturnsBeforeOnCancelIsCalled() {
    let log = Log()
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource(
      onSchedule: { _ in
        elsewhere { source.value!.invalidate() }
        log("scheduled")
      }, onCancel: { _ in log("cancelled") }, perform: { _ in })
    RunLoop.current.add(source.value!, forMode: .default)
    log("added")
    source.value = nil
    #expect(log.events == ["scheduled", "cancelled", "added"])
  }
}
