import Foundation
import Testing

@testable import RunLoopTasks

/// The shipped engine on a simulated loop, searched for holes: a run in which the loop sleeps though a task is pending
/// that it could run, or though nothing keeps the mode alive any more, in which it makes turns that nothing has caused,
/// or in which tasks run in the wrong order.
///
/// Another thread may send something at any moment, and either thread may be interrupted at each call of the host and
/// where it takes the lock or gives it back: see `TwoThreads`.
///
/// All runs are tried in which at most `SEARCH_DEPTH` things happen that need not, 1 if not set, and then `SEARCH_RUNS`
/// random ones in which more happens, beginning with the seed `SEARCH_SEED`.
///
/// Excluded is what the contract leaves out:
///
/// - What a user's observer does after the package's last look. What another thread does then is not excluded.
/// - A run that began before its mode was first used, if another is nested in it then, and one whose mode has become a
///   common mode, until its next activity.
/// - A run that is nested in an observer before the package's first one at `entry`.
/// - A sleep of 0.1 s while only idle tasks are in line, if other tasks have run in each of the turns before.
@Suite(.onOwnLoop) struct WakingSearchTests {
  @Test(arguments: SimulatedConfiguration.all)
  func theLoopNeverSleepsOnWorkWhateverSingleThingHappens(configuration: SimulatedConfiguration) {
    var search = WakingSearch()
    search.tryAll(configuration, depth: Int(Self.setting("SEARCH_DEPTH") ?? 1))
    for hole in search.report { Issue.record("\(hole)") }
  }

  @Test func theLoopNeverSleepsOnWorkInRandomRuns() {
    var search = WakingSearch()
    let (first, count) = (Self.setting("SEARCH_SEED") ?? 1, Self.setting("SEARCH_RUNS") ?? 500)
    for seed in first..<(first + count) { search.tryRandom(seed) }
    for hole in search.report { Issue.record("\(hole)") }
  }

  @Test func eachRunCanBeRepeated() {
    let (all, sender) = (SimulatedConfiguration.all, SenderThread())
    for seed in UInt64(1)...50 {
      let configuration = all[Int(seed % UInt64(all.count))]
      let run = SimulatedRun(configuration, Choices(seed: seed), sender, isTraced: true)
      let repeated = SimulatedRun(configuration, Choices(first: run.made.map(\.choice)), sender, isTraced: true)
      #expect(repeated.trace == run.trace || run.hasUsedRealTime, "seed \(seed)")
    }
  }

  /// What only another thread can notice shows itself in one of some ten thousand runs, so it takes `SEARCH_RUNS`.
  @Test(
    arguments: SimulatedConfiguration.Fault.noticeable.filter {
      setting("SEARCH_RUNS") != nil || $0 != .attachingIsLate
    })
  func theSearchFindsAHoleOnALoopWithAFault(fault: SimulatedConfiguration.Fault) {
    var search = WakingSearch(with: fault)
    for seed in UInt64(60_000)...100_000 where search.holes.isEmpty { search.tryRandom(seed) }
    #expect(!search.holes.isEmpty)
  }

  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
  }
}
