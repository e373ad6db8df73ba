import Foundation
import RunLoopTasks
import Testing

/// The place in line of tasks that wait for the interval of their key.
@Suite(.onOwnLoop) struct ThrottlePlaceTests {
  let log = Log()

  @Test(arguments: Form.allCases) func aThrottledTaskKeepsItsPlace(_ form: Form) {
    #expect(order(form, replaces: false) == ["throttled", "later"])
  }

  @Test(arguments: Form.allCases) func aTaskThatReplacesAThrottledOneTakesItsPlace(_ form: Form) {
    #expect(order(form, replaces: true) == ["replacement", "later"])
  }

  @Test func aThrottledTaskWithADelayGetsItsPlaceWhenTheDelayEnds() {
    keepAlive(.custom)
    begin(.chain)
    let loop = RunLoop.current
    let name = RunLoop.Mode.custom
    loop.perform { log("delayed") }
      .forModes(name).after(.seconds(3_000)).coalesced(by: "key", atMostEvery: .seconds(9_000))
    loop.perform { log("first") }.forModes(name)
    loop.advance(by: .seconds(4_000))
    loop.perform { log("last") }.forModes(name)
    loop.advance(by: .seconds(5_000))
    loop.runPass(mode: name)
    #expect(log.events == ["first", "delayed", "last"])
  }

  /// Runs a task whose key then has an interval of 9,000 seconds.
  private func begin(_ form: Form) {
    form.perform(coalescedBy: "key", atMostEvery: .seconds(9_000)) {}
    RunLoop.current.runPass()
  }

  /// The order of a throttled task and of a later one. Both may run when the interval is over.
  private func order(_ form: Form, replaces: Bool) -> [String] {
    eventsOnLoopThread(keepingAlive: [.custom]) { log in
      begin(form)
      let name = RunLoop.Mode.custom
      form.perform(forModes: [name], coalescedBy: "key", atMostEvery: .seconds(9_000)) { log("throttled") }
      RunLoop.current.perform { log("later") }.forModes(name)
      if replaces {
        form.perform(forModes: [name], coalescedBy: "key", atMostEvery: .seconds(9_000)) { log("replacement") }
      }
      RunLoop.current.advance(by: .seconds(9_000))
      RunLoop.current.runPass(mode: name)
    }
  }
}
