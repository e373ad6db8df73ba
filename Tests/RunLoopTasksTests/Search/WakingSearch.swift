import Foundation

@testable import RunLoopTasks

/// The choices that were made in a run: 0 where nothing unusual happens.
struct Choices {
  /// How often something unusual happens in a random run.
  enum Frequency: Int { case seldom, asUsual, often }

  private let first: [Int]
  private var random: (generator: SplitMix, inThousand: [Int])?
  private(set) var made: [(choice: Int, count: Int)] = []

  init(first: [Int]) { self.first = first }

  init(seed: UInt64) {
    var generator = SplitMix(state: seed)
    let inThousand = [20, 40, 80, 150][Int.random(in: 0..<4, using: &generator)]
    let often = [50, 150, 300, 600][Int.random(in: 0..<4, using: &generator)]
    let seldom = inThousand / [2, 8, 32][Int.random(in: 0..<3, using: &generator)]
    (first, random) = ([], (generator, [seldom, inThousand, often]))
  }

  mutating func next(_ count: Int, _ frequency: Frequency = .asUsual) -> Int {
    var choice = made.count < first.count ? first[made.count] % count : 0
    if let inThousand = random?.inThousand,
      Int.random(in: 0..<1000, using: &random!.generator) < inThousand[frequency.rawValue]
    {
      choice = Int.random(in: 0..<count, using: &random!.generator)
    }
    made.append((choice, count))
    return choice
  }
}

/// A search through runs of simulated loops.
struct WakingSearch {
  typealias Configuration = SimulatedConfiguration

  /// For each kind of hole the first run that shows it.
  private(set) var holes: [String: (configuration: Configuration, choices: [Int])] = [:]
  private let fault: Configuration.Fault?
  private let sender = SenderThread()

  init(with fault: Configuration.Fault? = nil) { self.fault = fault }

  /// Tries all runs in which at most `depth` things happen.
  mutating func tryAll(_ configuration: Configuration, depth: Int) {
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
    let all = Configuration.all
    run(all[Int(seed % UInt64(all.count))], Choices(seed: seed))
  }

  @discardableResult
  private mutating func run(_ configuration: Configuration, _ choices: Choices) -> [(choice: Int, count: Int)] {
    var configuration = configuration
    configuration.fault = fault
    let run = SimulatedRun(configuration, choices, sender)
    if let hole = run.hole { holes[hole] = holes[hole] ?? (configuration, run.made.map(\.choice)) }
    return run.made
  }

  /// The holes, with what happened.
  var report: [String] {
    holes.map { kind, hole in
      let choices = shrunk(kind, hole.configuration, hole.choices)
      let run = SimulatedRun(hole.configuration, Choices(first: choices), sender, isTraced: true)
      return "\(kind)\n\(hole.configuration)\n\(run.trace.joined(separator: "\n"))"
    }
  }

  /// Leaves out what the hole does not need: choices, and then unusual ones, first many at once and then one by one.
  private func shrunk(_ kind: String, _ configuration: Configuration, _ choices: [Int]) -> [Int] {
    var (choices, isSmaller) = (choices, true)
    func take(_ new: [Int]) -> Bool {
      guard new != choices, SimulatedRun(configuration, Choices(first: new), sender).hole == kind else { return false }
      (choices, isSmaller) = (new, true)
      return true
    }
    while isSmaller {
      isSmaller = false
      var length = choices.count
      while length > 0 {
        var index = 0
        while index < choices.count {
          let range = index..<min(index + length, choices.count)
          var (without, quiet) = (choices, choices)
          without.removeSubrange(range)
          quiet.replaceSubrange(range, with: Array(repeating: 0, count: range.count))
          if !take(without), !take(quiet) { index += length }
        }
        length /= 2
      }
    }
    return choices
  }
}

/// One simulation that has taken place.
struct SimulatedRun {
  /// The kind of hole that was found.
  private(set) var hole: String?
  let made: [(choice: Int, count: Int)]
  let trace: [String]
  let hasUsedRealTime: Bool

  init(
    _ configuration: SimulatedConfiguration, _ choices: Choices, _ sender: SenderThread, isTraced: Bool = false
  ) {
    let threads = TwoThreads(sender)
    let loop = SimulatedLoop(configuration, threads)
    let user = SimulatedUser(loop, choices, isTraced: isTraced)
    (loop.user, threads.user) = (user, user)
    var hole: String?
    ThreadLocalScheduler.simulate(loop.scheduler) {
      do {
        try user.go(runs: 2)
        loop.scheduler.end()
        threads.finishSending()
        try user.checkEnd()
      } catch SimulatedUser.End.hole(let kind) {
        hole = kind
      } catch {}
      threads.finishSending()
      threads.user = nil
      loop.scheduler.end()
    }
    loop.user = nil
    (self.hole, made, trace, hasUsedRealTime) = (hole, user.made, user.trace ?? [], loop.hasUsedRealTime)
  }
}

extension TaskPlan {
  var options: String {
    [
      delay > .zero ? "after \(delay)" : "", limit.map { "within \($0)" } ?? "", order == 0 ? "" : "order \(order)",
      key == nil ? "" : "with the key",
    ].filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension ThreadLocalScheduler {
  /// Calls `body` as if on the thread of a scheduler, or on a thread without one.
  static func simulate<Result>(_ scheduler: Scheduler?, during body: () throws -> Result) rethrows -> Result {
    scheduler?.ownThread.noteInstalled()  // so that each use of its variables is checked
    let outer = pthread_getspecific(key)
    pthread_setspecific(key, scheduler.map { Unmanaged.passUnretained($0).toOpaque() })
    defer { pthread_setspecific(key, outer) }
    return try body()
  }
}
