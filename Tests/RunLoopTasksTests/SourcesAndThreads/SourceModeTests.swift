import Foundation
import RunLoopTasks
import Testing

/// A `RunLoopSource` in one or more modes of a loop.
@Suite(.onOwnLoop) struct SourceModeTests {
  let log = Log()

  @Test func addingAndRemovingCallTheSourceOnceForEachMode() {
    let source = loggedSource(log)
    RunLoop.current.add(source, forMode: .custom)
    RunLoop.current.add(source, forMode: .custom)  // has no effect
    RunLoop.current.add(source, forMode: .other)
    RunLoop.current.remove(source, forMode: .custom)
    RunLoop.current.remove(source, forMode: .custom)  // has no effect
    RunLoop.current.remove(source, forMode: .default)
    source.send(1)
    RunLoop.current.runPass(mode: .custom)
    RunLoop.current.runPass(mode: .other)
    #expect(
      log.events == ["scheduled in custom", "scheduled in other", "cancelled in custom", "[1]"])
  }

  @Test(arguments: [RunLoop.Mode.default, .common])
  func aSourceOfTwoModesIsPerformedOnceAndStaysInTheOtherIfRemovedFromOne(first: RunLoop.Mode) {
    let source = RunLoopSource<Int> { log("\($0)") }
    for mode in [RunLoop.Mode.default, .common, .default] { RunLoop.current.add(source, forMode: mode) }
    source.send(1)
    RunLoop.current.runPass()
    RunLoop.current.remove(source, forMode: first)
    source.send(2)
    RunLoop.current.runPass()
    RunLoop.current.remove(source, forMode: first == .default ? .common : .default)
    source.send(3)
    RunLoop.current.runPass()
    #expect(log.events == ["[1]", "[2]"])
  }

  /// CoreFoundation still calls the removed source, because it has collected the signalled sources before.
  @Test func aSourceRemovedByAnotherSourceIsPerformedOnceItIsAddedAgain() {
    let second = RunLoopSource<Int>(order: 1, onCancel: { _ in log("removed") }) { log("\($0)") }
    let first = addSource { _, _ in RunLoop.current.remove(second, forMode: .default) }
    RunLoop.current.add(second, forMode: .default)
    first.send(0)
    second.send(1)
    RunLoop.current.runPass()
    log("pass")
    RunLoop.current.add(second, forMode: .default)
    RunLoop.current.runPass()
    #expect(log.events == ["removed", "pass", "[1]"])
  }

  /// No task has used the mode. A pass delivers one batch, but the nested runs are none of its iterations.
  @Test func aSourceDeliversInEachRunNestedInAPass() {
    let source = addSource(in: .custom) { _, commands in log("\(commands)") }
    RunLoop.current.perform {
      for command in 1...2 {
        source.send(command)
        poll(.custom)
      }
    }.when(.currentLoopEnded)
    RunLoop.current.runPass()
    #expect(log.events == ["[1]", "[2]"])
  }

  @Test func aLoopRemovesOnlyItsOwnSources() {
    let (source, other) = (loggedSource(log), LoopThread())
    other.perform { RunLoop.current.add(source, forMode: .default) }
    RunLoop.current.remove(source, forMode: .default)
    source.send(1)
    other.perform { RunLoop.current.runPass() }
    #expect(log.events == ["scheduled in default", "[1]"])
    source.invalidate()
    other.end()
  }

  @Test func aLoopRetainsItsSources() {
    weak let kept = {
      let token = Token { log("released") }
      let source = RunLoopSource<Int> { _ in token.use() }
      RunLoop.current.add(source, forMode: .default)
      return source
    }()
    #expect(kept?.isValid == true)
    if let kept { RunLoop.current.remove(kept, forMode: .default) }
    log("removed")
    #expect(log.events.sorted() == ["released", "removed"])
  }

  enum Removal: CaseIterable { case byRemove, byInvalidateOnAnotherThread }

  @Test(arguments: Removal.allCases) func aRunReturnsOnceItsLastSourceIsGone(_ removal: Removal) {
    let source = addSource { _, _ in }
    observe(.beforeWaiting, order: Order.last) { _ in
      switch removal {
      case .byRemove: RunLoop.current.remove(source, forMode: .default)
      case .byInvalidateOnAnotherThread: elsewhere { source.invalidate() }
      }
    }
    run()  // without a limit: the watchdog ends a run that does not return
  }
}
