import Foundation

@testable import RunLoopTasks

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
  typealias Configuration = SimulatedConfiguration

  /// For each kind of hole the first run that shows it.
  private(set) var holes: [String: (configuration: Configuration, choices: [Int])] = [:]
  private let fault: Configuration.Fault?

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
    let run = SimulatedRun(configuration, choices)
    if let hole = run.hole { holes[hole] = holes[hole] ?? (configuration, run.made.map(\.choice)) }
    return run.made
  }

  /// The holes, with what happened.
  var report: [String] {
    holes.map { kind, hole in
      let choices = shrunk(kind, hole.configuration, hole.choices)
      let run = SimulatedRun(hole.configuration, Choices(first: choices), isTraced: true)
      return "\(kind)\n\(hole.configuration)\n\(run.trace.joined(separator: "\n"))"
    }
  }

  /// Leaves out what the hole does not need.
  private func shrunk(_ kind: String, _ configuration: Configuration, _ choices: [Int]) -> [Int] {
    var (choices, isSmaller) = (choices, true)
    while isSmaller {
      isSmaller = false
      for index in choices.indices where choices[index] > 0 {
        var fewer = choices
        fewer[index] = 0
        guard SimulatedRun(configuration, Choices(first: fewer)).hole == kind else { continue }
        (choices, isSmaller) = (fewer, true)
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

  init(_ configuration: SimulatedConfiguration, _ choices: Choices, isTraced: Bool = false) {
    let loop = SimulatedLoop(configuration)
    let user = SimulatedUser(loop, choices, isTraced: isTraced)
    loop.user = user
    var hole: String?
    ThreadLocalScheduler.simulate(loop.scheduler) {
      do {
        try user.go(runs: 2)
      } catch SimulatedUser.End.hole(let kind) {
        hole = kind
      } catch {}
      loop.scheduler.end()
    }
    loop.user = nil
    (self.hole, made, trace) = (hole, user.made, user.trace ?? [])
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
    let outer = pthread_getspecific(key)
    pthread_setspecific(key, scheduler.map { Unmanaged.passUnretained($0).toOpaque() })
    defer { pthread_setspecific(key, outer) }
    return try body()
  }
}
