import Foundation
import RunLoopTasks
import Testing

/// Delays that end while the loop's own thread is busy. The places of later tasks are behind theirs.
@Suite(.onOwnLoop) struct UnnoticedDelayTests {
  let log = Log()

  @Test(arguments: Form.allCases) func aTaskIsBehindOneWhoseDelayHasEndedBefore(_ form: Form) {
    form.perform(when: .currentLoopEnded, after: .seconds(1_000)) { log("delayed") }
    keepBusy(for: .seconds(2_000))
    form.perform(when: .currentLoopEnded) { log("new") }
    RunLoop.current.runPass()
    #expect(log.events == ["delayed", "new"])
  }

  @Test func aReplacementTakesThePlaceOfATaskWhoseDelayHasEnded() {
    let task = RunLoop.current.perform { log("replacement") }.when(.currentLoopEnded)
    for (seconds, name) in [(500, "delayed"), (1_000, "replaced")] {
      RunLoop.current.perform { log(name) }
        .when(.currentLoopEnded).after(.seconds(seconds)).coalesced(by: name)
    }
    keepBusy(for: .seconds(2_000))
    task.coalesced(by: "replaced")
    RunLoop.current.runPass()
    #expect(log.events == ["delayed", "replacement"])
  }
}
