import Foundation
import Testing

@testable import RunLoopTasks

/// Random scripts on real loops, compared with a model of when tasks and jobs run.
///
/// `MODEL_SCRIPTS` says how many, `MODEL_SEED` with which seed to begin: to replay a failure, give its seed and one
/// script.
@Suite(.onOwnLoop) struct ModelTests {
  private static let maxFailures = 3

  /// In parts, each with a watchdog of its own.
  @Test(.serialized, arguments: 0..<UInt64(10)) func theLoopDoesWhatTheModelSays(part: UInt64) {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["MODEL_SCRIPTS"].flatMap(UInt64.init) ?? 500
    let firstSeed = environment["MODEL_SEED"].flatMap(UInt64.init) ?? 1
    let driver = Driver()
    var failures = 0
    for seed in stride(from: firstSeed + part, to: firstSeed + count, by: 10) where failures < Self.maxFailures {
      let script = Generator.script(seed: seed)
      let (trace, complaint) = driver.perform(script)
      guard let complaint else { continue }
      failures += 1
      report(script, trace, complaint, seed, driver)
    }
  }

  /// A timer that has woken the outer run cannot fire in one that is nested there, and must not keep it alive.
  @Test func aRunNestedWhereATimerWokeTheOuterOneReturns() {
    let posting = Step.does(.perform(3, Wish(timing: .currentLoopEnded, modes: [.common]), .queue(.other)))
    let running = Step.does(.run(.blocking, .default, keptAlive: false))
    let script = Script(steps: [
      .does(
        .perform(1, Wish(), .chain),
        .does(.perform(2, Wish(), .chain), posting),
        .does(
          .perform(4, Wish(modes: [.common]), .chain), .does(.cancelAll(.own)),
          .does(.perform(5, Wish(), .chain), running))),
      .does(.perform(6, Wish(timing: .currentLoopEnded), .chain), .does(.stop)),
    ])
    #expect(Driver().perform(script).complaint == nil)
  }

  // MARK: Scripts

  @Test func aScriptIsShrunkToWhatItTakesToFail() {
    let shortest = Generator.script(seed: 1).shrunk { "\($0)".contains("perform(1,") }
    #expect(shortest.steps.map(\.body.count) == [0] && !shortest.isRunToTheEnd, "\(shortest)")
  }

  private func report(_ script: Script, _ trace: [Event], _ complaint: Complaint, _ seed: UInt64, _ driver: Driver) {
    let shortest = script.shrunk { driver.perform($0, patience: .milliseconds(200)).complaint != nil }
    let again = driver.perform(shortest)
    let (isShrunk, found) = (again.complaint != nil, again.complaint ?? complaint)
    Issue.record(
      """
      \(found)
      To replay: MODEL_SEED=\(seed) MODEL_SCRIPTS=1 swift test --filter ModelTests
      \(isShrunk ? "Shrunk" : "As it was, because it does not fail each time"):

      \(isShrunk ? shortest : script)

      What happened:

      \(text(of: isShrunk ? again.trace : trace))
      """)
  }
}
