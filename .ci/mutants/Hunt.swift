import Foundation
import Synchronization

/// Tries mutants, some at a time.
struct Hunt {
  let program: URL
  let jobs: Int
  /// Is told what killed a mutant in a round, or that nothing did.
  let report: @Sendable (_ mutant: Int, _ killer: String?) -> Void

  /// Most mutants are killed by tests that are quick. Only what survives those is worth more time.
  private static let rounds = [
    Round(name: "quick tests", arguments: ["--skip", slowTests], environment: [:], limit: 15),
    Round(
      name: "slow tests, cut short", arguments: ["--filter", slowTests],
      environment: ["MODEL_SCRIPTS": "2000", "MANY_PRODUCERS_TASKS": "20000"], limit: 30),
    Round(name: "longest tests", arguments: ["--filter", "ManyProducersTests|ModelTests"], environment: [:], limit: 150),
  ]
  private static let slowTests = "DemoTests|ManyProducersTests|ModelTests|aThousandThreads|SlowedDown|noPostIsLost"

  /// - Returns: those that survived.
  func kill(_ mutants: [Int]) -> [Int] {
    Self.rounds.reduce(mutants) { $0.isEmpty ? [] : survivors(of: $1, among: $0) }
  }

  private func survivors(of round: Round, among mutants: [Int]) -> [Int] {
    let failure = Trial(program: program, mutant: nil, round: round).run()
    guard failure == nil else { fatalError("without a mutant the tests must pass, but were ended by \(failure!)") }
    let next = Atomic(0)
    let survivors = Mutex<[Int]>([])
    // Not `concurrentPerform`, which does no more at a time than there are cores: mutants that hang need none.
    let group = DispatchGroup()
    for _ in 0..<jobs {
      group.enter()
      Thread { [report, program] in
        while case let index = next.add(1, ordering: .relaxed).oldValue, index < mutants.count {
          if index % 20 == 0 { note("\(round.name): \(index) of \(mutants.count) mutants") }
          let killer = Trial(program: program, mutant: mutants[index], round: round).run()
          report(mutants[index], killer)
          if killer == nil { survivors.withLock { $0.append(mutants[index]) } }
        }
        group.leave()
      }.start()
    }
    group.wait()
    return survivors.withLock { $0.sorted() }
  }
}

/// A run of some tests, and how much they do, as variables that they know.
struct Round {
  let name: String
  let arguments: [String]
  let environment: [String: String]
  /// How many seconds of processor time it may take: several times what it does take.
  let limit: Double
}

/// What became of mutants, kept in a file.
final class Outcomes: Sendable {
  private static let file = Copy.home.appendingPathComponent("outcomes.txt")
  private static let survived = "survived"
  private let list: Mutex<[String: String]>

  init(of mutants: [Mutant]) {
    let old = lines(of: Self.file).map { $0.components(separatedBy: " <- ") }
    let keys = Set(mutants.map(\.key))
    list = Mutex(Dictionary(uniqueKeysWithValues: old.filter { keys.contains($0[0]) }.map { ($0[0], $0[1]) }))
  }

  subscript(mutant: Mutant) -> String { list.withLock { $0[mutant.key] ?? "not tried" } }

  func isKilled(_ mutant: Mutant) -> Bool { list.withLock { $0[mutant.key].map { $0 != Self.survived } ?? false } }

  func record(_ mutant: Mutant, _ killer: String?) {
    list.withLock { list in
      list[mutant.key] = killer.map { "killed by \($0)" } ?? Self.survived
      let text = list.map { "\($0) <- \($1)" }.sorted().joined(separator: "\n")
      try? text.write(to: Self.file, atomically: true, encoding: .utf8)
    }
  }
}
