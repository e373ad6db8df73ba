import Foundation
import Testing

@testable import RunLoopTasks

/// Shows what is known to be wrong, each with the shortest script that was found.
@Suite struct KnownDefectTests {
  @Test(arguments: KnownDefect.allCases) func theScriptStillFails(_ defect: KnownDefect) {
    withKnownIssue("\(defect)") {
      let result = Driver().perform(defect.script, avoiding: [], patience: .milliseconds(300))
      #expect(result.complaint == nil)
    }
  }

  @Test(arguments: KnownDefect.allCases) func randomScriptsKeepClearOfIt(_ defect: KnownDefect) {
    #expect(Driver().perform(defect.script).complaint == nil)
  }
}

extension KnownDefect {
  fileprivate var script: Script {
    switch self {
    case .nestedRunHearsMailLate:
      Script(
        .does(
          .source(.custom),
          .does(.perform(1, Wish(timing: .currentLoopEnded, modes: [.custom]), .queue(.other)))),
        .does(
          .perform(2, Wish(timing: .currentLoopEnded), .chain), .does(.run(.blocking, .custom, keptAlive: false))))
    case .nestedRunTakesWakeUpOfMail:
      Script(
        .does(
          .observe(.exit, .default, order: Order.frame),
          .does(.perform(1, Wish(timing: .currentLoopEnded), .queue(.other)))),
        .does(.observe(.beforeWaiting, .default, order: Order.app), .does(.run(.poll, .default, keptAlive: false))),
        .does(.run(.blocking, .default, keptAlive: true)))
    }
  }
}
