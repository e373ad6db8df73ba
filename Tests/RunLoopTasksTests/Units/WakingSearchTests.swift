import Foundation
import Testing

@testable import RunLoopTasks

/// The rules by which the loop is woken, searched for holes: a run in which the loop sleeps though a task is pending
/// that it could run, or though nothing keeps the mode alive any more, or in which it never comes to rest.
///
/// All runs are tried in which at most `SEARCH_DEPTH` things happen that need not, 1 if not set, and then `SEARCH_RUNS`
/// random ones in which more happens, beginning with the seed `SEARCH_SEED`.
///
/// Excluded are known limitations:
///
/// - A sleep in a mode in which a keep-alive is due and a timer of a user has woken an outer run, but has not fired
///   yet: CoreFoundation does not arm its timer port then. This is checked at the sleep, so nothing else is excluded
///   with it.
/// - A sleep in a run that began before its mode was observed, after two runs of the mode
///   (`RunStack.runsAfterFirstObserved`) that were nested in it have ended: nothing tells the package that this run is
///   still under way.
/// - A sleep of 0.1 s while only idle tasks are in line, if other tasks have run in each of the turns before.
/// - A user's observer that is called before the package's first one at `entry`, or after its last one, may do
///   everything but run the loop: the former not at all, the latter not in a mode that the package does not observe.
///   Nothing tells the package of such runs.
@Suite struct WakingSearchTests {
  typealias Simulation = RunLoopSimulation

  @Test(arguments: Simulation.Configuration.all)
  func theLoopNeverSleepsOnWorkWhateverSingleThingHappens(configuration: Simulation.Configuration) {
    var search = WakingSearch()
    search.tryAll(configuration, depth: Int(Self.setting("SEARCH_DEPTH") ?? 1))
    search.report()
  }

  @Test func theLoopNeverSleepsOnWorkInRandomRuns() {
    var search = WakingSearch()
    let (first, count) = (Self.setting("SEARCH_SEED") ?? 1, Self.setting("SEARCH_RUNS") ?? 10_000)
    for seed in first..<(first + count) { search.tryRandom(seed) }
    search.report()
  }

  @Test(arguments: WakingRule.allCases)
  func theSearchFindsAHoleWithoutARule(rule: WakingRule) {
    var (whole, broken) = (WakingSearch(), WakingSearch(without: rule))
    for seed in UInt64(1)...50_000 where broken.holes.isEmpty { broken.tryRandom(seed) }
    for seed in broken.seeds { whole.tryRandom(seed) }
    #expect(!broken.holes.isEmpty && whole.holes.isEmpty)
  }

  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
  }
}

/// The choices that were made in a run: 0 where nothing unusual happens.
struct Choices {
  private let first: [Int]
  private var random: (generator: SplitMix, inHundred: Int)?
  private(set) var made: [(choice: Int, count: Int)] = []

  init(first: [Int]) { self.first = first }

  init(seed: UInt64) {
    var generator = SplitMix(state: seed)
    let inHundred = [2, 4, 8, 15][Int.random(in: 0..<4, using: &generator)]
    (first, random) = ([], (generator, inHundred))
  }

  mutating func next(_ count: Int) -> Int {
    var choice = made.count < first.count ? first[made.count] % count : 0
    if let inHundred = random?.inHundred, Int.random(in: 0..<100, using: &random!.generator) < inHundred {
      choice = Int.random(in: 0..<count, using: &random!.generator)
    }
    made.append((choice, count))
    return choice
  }
}

/// A search through runs of simulated loops.
struct WakingSearch {
  /// For each kind of hole the first run that shows it.
  private(set) var holes: [String: (configuration: RunLoopSimulation.Configuration, choices: [Int])] = [:]
  /// The seeds of random runs that showed them.
  private(set) var seeds: [UInt64] = []
  private(set) var runs = 0
  private let rule: WakingRule?

  init(without rule: WakingRule? = nil) { self.rule = rule }

  /// Tries all runs in which at most `depth` things happen.
  mutating func tryAll(_ configuration: RunLoopSimulation.Configuration, depth: Int) {
    var next: [(first: [Int], depth: Int)] = [([], depth)]
    while let (first, depth) = next.popLast() {
      let made = run(configuration, Choices(first: first))
      guard depth > 0 else { continue }
      for index in first.count..<max(made.count, first.count) {
        let quiet = first + Array(repeating: 0, count: index - first.count)
        for choice in 1..<made[index].count { next.append((quiet + [choice], depth - 1)) }
      }
    }
  }

  mutating func tryRandom(_ seed: UInt64) {
    let all = RunLoopSimulation.Configuration.all
    let count = holes.count
    run(all[Int(seed % UInt64(all.count))], Choices(seed: seed))
    if holes.count > count { seeds.append(seed) }
  }

  @discardableResult
  private mutating func run(
    _ configuration: RunLoopSimulation.Configuration, _ choices: Choices
  ) -> [(choice: Int, count: Int)] {
    runs += 1
    let simulation = RunLoopSimulation(configuration, choices, without: rule)
    if let kind = simulation.hole() {
      holes[kind] = holes[kind] ?? (configuration, simulation.choices.made.map(\.choice))
    }
    return simulation.choices.made
  }

  /// Records the holes, with what happened.
  func report() {
    for (kind, hole) in holes {
      let choices = shrunk(kind, hole.configuration, hole.choices)
      let simulation = RunLoopSimulation(hole.configuration, Choices(first: choices), isTraced: true, without: rule)
      _ = simulation.hole()
      Issue.record("\(kind)\n\(hole.configuration)\n\(simulation.trace?.joined(separator: "\n") ?? "")")
    }
  }

  /// Leaves out what the hole does not need.
  private func shrunk(_ kind: String, _ configuration: RunLoopSimulation.Configuration, _ choices: [Int]) -> [Int] {
    var (choices, isSmaller) = (choices, true)
    while isSmaller {
      isSmaller = false
      for index in choices.indices where choices[index] > 0 {
        var fewer = choices
        fewer[index] = 0
        guard RunLoopSimulation(configuration, Choices(first: fewer), without: rule).hole() == kind else { continue }
        (choices, isSmaller) = (fewer, true)
      }
    }
    return choices
  }
}

extension RunLoopSimulation {
  /// Lets the simulation take place.
  ///
  /// - Returns: the kind of hole that was found.
  fileprivate func hole() -> String? {
    do {
      try go(runs: 2)
    } catch End.hole(let kind) {
      return kind
    } catch {}
    return nil
  }
}
