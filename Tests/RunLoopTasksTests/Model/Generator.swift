import Foundation
import Randomness

@testable import RunLoopTasks

// So that the other files need not import the module.
typealias SplitMix = Randomness.SplitMix

/// Makes up scripts; the same one for the same seed.
///
/// Each script has a taste of its own: a few kinds of steps and a few modes that it prefers. So rare things meet in
/// some of them that would hardly ever meet if all were equally likely everywhere.
struct Generator {
  private enum Kind: CaseIterable {
    case perform, run, advance, observe, timer, source, change, cancel, cancelAll, cancelKey, budget, makeCommon, job
    case stop, runNow, runAllTasks, runTasks

    var weight: Int {
      switch self {
      case .perform: 12
      case .run, .observe: 6
      case .change, .source, .job: 4
      case .advance: 3
      case .timer, .cancel, .stop, .runNow, .runAllTasks, .runTasks: 2
      case .cancelAll, .cancelKey, .budget, .makeCommon: 1
      }
    }
  }

  private static let maxSteps = 24
  private static let maxDepth = 5
  private static let orders = [Order.app, Order.frame]

  private var random: SplitMix
  private var kinds: [Kind] = []
  private var modes: [RunLoop.Mode] = []
  private var timings: [RunLoopTask.Timing] = []
  private var runKinds: [RunKind] = []
  private var ways: [Way] = []
  /// How many tasks in ten have a key, and how many changes set one.
  private var keysInTen = 0
  /// The same of delays, limits and orders; and which interval a key has.
  private var delaysInTen = 0
  private var limitsInTen = 0
  private var ordersInTen = 0
  private var intervals: [HalfHours] = []
  private var (hasJobs, hasTime, runsDelayedTasks) = (false, false, false)
  private var taskCount = 0
  private var stepsLeft = 0

  static func script(seed: UInt64) -> Script {
    var generator = Generator(seed: seed)
    var steps: [Step] = []
    while generator.stepsLeft > 0 { steps.append(generator.step(depth: 0, in: nil)) }
    let isRunToTheEnd = !generator.runsDelayedTasks && generator.happens(generator.hasJobs ? 1 : 3, in: 4)
    return Script(
      steps: steps, isRunToTheEnd: isRunToTheEnd, hasJobs: generator.hasJobs,
      runsDelayedTasks: generator.runsDelayedTasks)
  }

  private init(seed: UInt64) {
    random = SplitMix(state: seed)
    stepsLeft = Int.random(in: 3...Self.maxSteps, using: &random)
    for kind in Kind.allCases {
      let factor = kind == .perform || kind == .run ? 2 : pick([0, 1, 2, 6])
      kinds += Array(repeating: kind, count: kind.weight * factor)
    }
    modes = pick([
      [.default], [.default, .custom], [.default, .default, .custom, .other], [.custom, .custom, .default],
    ])
    timings = RunLoopTask.Timing.allCases + [pick(RunLoopTask.Timing.allCases), pick(RunLoopTask.Timing.allCases)]
    keysInTen = pick([1, 2, 7])
    runKinds = RunKind.simple + [.blocking, pick(RunKind.simple), pick(RunKind.simple)]
    hasJobs = happens(1, in: 4)
    if !hasJobs { kinds.removeAll { $0 == .job } }
    hasTime = !hasJobs && happens(1, in: 2)
    if !hasTime { kinds.removeAll { $0 == .advance } }
    // No time passes in such a script, but at its end everything that waits runs.
    runsDelayedTasks = hasJobs && happens(1, in: 2)
    hasTime = hasTime || runsDelayedTasks
    delaysInTen = hasTime ? pick([0, 1, 3, 6]) : 0
    limitsInTen = hasTime ? pick([0, 1, 3, 6]) : 0
    // So that limits are inherited, again and again.
    if hasTime, happens(1, in: 3) { (keysInTen, delaysInTen, limitsInTen) = (7, 3, 5) }
    ordersInTen = pick([0, 0, 2, 6])
    ways = pick([
      [.chain, .chain, .chain, .queue(.own), .queue(.other)], [.chain, .queue(.other), .queue(.other)],
    ])
    intervals = hasTime ? [pick([0, 0, 2]), pick([0, 2, 4])] : [0, 0]
  }

  private mutating func step(depth: Int, in mode: RunLoop.Mode?) -> Step {
    stepsLeft -= 1
    let action = action(in: mode)
    guard action.hasBody, depth < Self.maxDepth else { return Step(action: action) }
    var body: [Step] = []
    while stepsLeft > 0, body.count < 4, happens(3, in: 5) {
      body.append(step(depth: depth + 1, in: action.mode))
    }
    return Step(action: action, body: body)
  }

  /// - Parameter mode: the mode in which the step is likely to be taken.
  private mutating func action(in mode: RunLoop.Mode?) -> Action {
    switch pick(kinds) {
    case .perform:
      taskCount += 1
      return .perform(taskCount, wish(near: mode), pick(ways))
    case .run: return .run(pick(runKinds), self.mode(near: mode), keptAlive: happens(1, in: 3))
    case .advance: return .run(.advance(Int.random(in: 0...5, using: &random)), self.mode(near: mode), keptAlive: false)
    case .cancelKey: return .cancelKey(key(), caller())
    case .observe: return .observe(activity(), self.mode(near: mode), order: pick(Self.orders))
    case .timer: return .timer(self.mode(near: mode))
    case .source: return .source(self.mode(near: mode))
    case .change: return .change(task(), change(near: mode))
    case .cancel: return .cancel(task(), caller())
    case .cancelAll: return .cancelAll(caller())
    case .budget: return .budget(pick(Allowance.allCases + [.oneTask]), caller())
    case .makeCommon: return .makeCommon(pick([.custom, .other]))
    case .job: return .job(caller())
    case .stop: return .stop
    case .runNow: return .runNow(task())
    case .runAllTasks: return .runAllTasks
    case .runTasks: return .runTasks(pick(timings))
    }
  }

  private mutating func wish(near mode: RunLoop.Mode?) -> Wish {
    var wish = Wish(timing: pick(timings), modes: modes(near: mode))
    if happens(keysInTen, in: 10) { (wish.key, wish.isKeyFirst) = (key(), happens(1, in: 2)) }
    wish.interval = wish.key.map { interval(of: $0) } ?? 0
    if happens(delaysInTen, in: 10) { wish.delay = pick([2, 2, 4]) }
    if happens(limitsInTen, in: 10) { wish.limit = limit() }
    if happens(ordersInTen, in: 10) { wish.order = order() }
    return wish
  }

  private mutating func change(near mode: RunLoop.Mode?) -> Change {
    if happens(keysInTen, in: 10) {
      let key = key()
      return .key(key, every: interval(of: key))
    }
    if happens(delaysInTen, in: 10) { return .after(pick([0, 2, 4])) }
    if happens(limitsInTen, in: 10) { return .within(limit()) }
    if happens(ordersInTen, in: 10) { return .order(order()) }
    return happens(1, in: 2) ? .timing(pick(timings)) : .modes(modes(near: mode))
  }

  private mutating func modes(near mode: RunLoop.Mode?) -> [RunLoop.Mode] {
    switch Int.random(in: 0..<10, using: &random) {
    case ..<6: [self.mode(near: mode)]
    case ..<8: [.common]
    case 8: [self.mode(near: mode), self.mode(near: nil)]
    default: [.common, self.mode(near: mode)]
    }
  }

  private mutating func mode(near mode: RunLoop.Mode?) -> RunLoop.Mode {
    if let mode, happens(1, in: 2) { return mode }
    return pick(modes)
  }

  private mutating func activity() -> RunLoop.Activity {
    pick([.entry, .beforeTimers, .beforeSources, .beforeWaiting, .beforeWaiting, .afterWaiting, .exit, .exit])
  }

  /// A task that was made before, or one still to come.
  private mutating func task() -> TaskNumber { Int.random(in: 1...(taskCount + 1), using: &random) }
  private mutating func key() -> Int { Int.random(in: 1...2, using: &random) }
  private mutating func order() -> Int { Int.random(in: -1...1, using: &random) }
  private mutating func limit() -> HalfHours { pick([1, 1, 3, 5]) }

  private mutating func interval(of key: Int) -> HalfHours {
    hasTime && happens(1, in: 10) ? pick([0, 2, 4]) : intervals[key - 1]
  }

  private mutating func caller() -> Caller { happens(1, in: 3) ? .other : .own }

  private mutating func happens(_ count: Int, in total: Int) -> Bool {
    Int.random(in: 0..<total, using: &random) < count
  }

  private mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int.random(in: choices.indices, using: &random)]
  }
}

extension Action {
  /// Where its body is likely to be performed.
  fileprivate var mode: RunLoop.Mode? {
    switch self {
    case .perform(_, let wish, _): wish.modes.first { $0 != .common }
    case .observe(_, let mode, _), .timer(let mode), .source(let mode): mode
    case .job: .default
    default: nil
    }
  }
}
