import Foundation
import Testing

@testable import RunLoopTasks

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
      log.events == ["scheduled in custom", "scheduled in .other", "cancelled in custom", "[1]"])
  }

  @Test func aSourceAddedTwiceIsPerformedOnce() {
    let source = RunLoopSource<Int> { log("\($0)") }
    for mode in [RunLoop.Mode.default, .common, .default] { RunLoop.current.add(source, forMode: mode) }
    source.send(1)
    RunLoop.current.runPass()
    #expect(log.events == ["[1]"])
  }

  @Test(arguments: [RunLoop.Mode.default, .common])
  func aSourceRemovedFromOneModeStaysInTheOther(first: RunLoop.Mode) {
    let source = RunLoopSource<Int> { log("\($0)") }
    RunLoop.current.add(source, forMode: .default)
    RunLoop.current.add(source, forMode: .common)
    source.send(1)
    RunLoop.current.remove(source, forMode: first)
    RunLoop.current.runPass()
    source.send(2)
    RunLoop.current.remove(source, forMode: first == .default ? .common : .default)
    RunLoop.current.runPass()
    #expect(log.events == ["[1]"])
  }

  /// CoreFoundation still calls the removed source, because it has collected the signalled sources before.
  @Test func aSourceRemovedByAnotherSourceIsPerformedInItsOtherMode() {
    let second = RunLoopSource<Int>(order: 1) { log("\($0) in \(RunLoop.current.currentMode!.rawValue.suffix(6))") }
    let first = RunLoopSource<Int> { _ in
      RunLoop.current.remove(second, forMode: .default)
      log("removed")
    }
    RunLoop.current.add(first, forMode: .default)
    for mode in [RunLoop.Mode.default, .custom] { RunLoop.current.add(second, forMode: mode) }
    first.send(0)
    second.send(1)
    RunLoop.current.runPass()
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["removed", "[1] in custom"])
  }

  /// CoreFoundation still calls the removed source, because it has collected the signalled sources before.
  @Test func aSourceRemovedByAnotherSourceIsPerformedOnceItIsAddedAgain() {
    let second = RunLoopSource<Int>(order: 1, onCancel: { _ in log("cancelled") }) { _ in log("performed") }
    let first = RunLoopSource<Int> { _ in RunLoop.current.remove(second, forMode: .default) }
    for source in [first, second] {
      RunLoop.current.add(source, forMode: .default)
      source.send(1)
    }
    RunLoop.current.runPass()
    log("adding")
    RunLoop.current.add(second, forMode: .default)
    RunLoop.current.runPass()
    #expect(log.events == ["cancelled", "adding", "performed"])
  }

  @Test func removingTheLastSourceEndsTheRun() {
    let source = RunLoopSource<Int> { _ in }
    RunLoop.current.add(source, forMode: .default)
    observe(.beforeWaiting, order: Order.last) { _ in RunLoop.current.remove(source, forMode: .default) }
    run()
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

  /// A source that is being added to one mode of one loop may be removed from any other mode or loop.
  @Test func onlyTheModeOfAnUnfinishedAddDelaysItsRemoval() {
    let loops = [LoopThread(), LoopThread()]
    let places = loops.map { $0.queue.scheduler }.flatMap { loop in
      [RunLoop.Mode.default, .custom].map { SourceAnnouncement(scheduler: loop, mode: $0) }
    }
    for left in places.indices {
      var state = SourceState<Int>(announcements: places)
      #expect(state.leave([places[left].mode], of: places[left].scheduler) == [])
      let haveLeft = places.reversed().map { state.endAnnouncement(of: $0.mode, in: $0.scheduler) }
      #expect(haveLeft == places.indices.reversed().map { $0 == left })
      state.announcements = [places[left]]
      for place in places.indices where place != left {
        #expect(state.leave([places[place].mode], of: places[place].scheduler) == [places[place].mode])
      }
    }
    for loop in loops { loop.end() }
  }
}
