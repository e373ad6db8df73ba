// Breaks the sources of the package in many small ways, and says which of them the tests do not notice.
//
//   .ci/mutate                      tries all mutants
//   .ci/mutate --only Lane.swift    those of some files; or by number: --only 17,18
//   .ci/mutate --survivors-only     those that were not killed last time
//   .ci/mutate --list               tries none, but says what they are and what became of them last time
//   .ci/mutate --jobs 4             four at a time, instead of two
//
// All of them are compiled into one test program, and those that the compiler rejects are left out. A mutant is killed by the
// first test that fails. `equivalent.txt` names mutants that no test can notice, each with its reason; they are only tried by
// number. What killed each is kept in .build/mutants/outcomes.txt.

import Foundation

@main struct Mutate {
  private static let equivalentFile = URL(fileURLWithPath: ".ci/mutants/equivalent.txt")

  static func main() throws {
    let options = CommandLine.arguments.dropFirst()
    func value(of option: String) -> String? { options.drop { $0 != option }.dropFirst().first }
    let known = ["--only", "--survivors-only", "--list", "--jobs"]
    if let wrong = options.first(where: { $0.hasPrefix("-") && !known.contains($0) }) {
      note("\(wrong) is no option of .ci/mutate: see .ci/mutants/Main.swift for those that there are")
      exit(2)
    }

    var copy = try Copy()
    let mutants = copy.mutants
    let equivalent = Set(lines(of: equivalentFile).filter { !$0.hasPrefix("#") })
    let unknown = equivalent.subtracting(mutants.map(\.key))
    guard unknown.isEmpty else {
      note("equivalent.txt names mutants that are not there:\n" + unknown.sorted().joined(separator: "\n"))
      exit(2)
    }
    let outcomes = Outcomes(of: mutants)
    let only = value(of: "--only")?.components(separatedBy: ",") ?? [""]
    var chosen = mutants.indices.filter { number in
      only.contains("\(number)")
        || only.contains { mutants[number].file.hasSuffix($0) } && !equivalent.contains(mutants[number].key)
    }
    if options.contains("--survivors-only") { chosen = chosen.filter { !outcomes.isKilled(mutants[$0]) } }
    @Sendable nonisolated func describe(_ number: Int) -> String {
      let mutant = mutants[number]
      return "\(number)\tline \(mutant.line)\t\(mutant.key)\t\(outcomes[mutant])"
    }
    if options.contains("--list") { return chosen.forEach { print(describe($0)) } }

    let start = Date()
    note("building \(mutants.count) mutants")
    let program = try copy.build()
    chosen = chosen.filter { !copy.rejected.contains(mutants[$0].key) }
    let hunt = Hunt(program: program, jobs: value(of: "--jobs").flatMap(Int.init) ?? 2) { number, killer in
      outcomes.record(mutants[number], killer)
      if killer == nil { note(describe(number)) }
    }
    let survivors = hunt.kill(chosen)
    survivors.forEach { print(describe($0)) }
    let killed = chosen.count - survivors.count
    func count(_ killer: String) -> Int { chosen.filter { outcomes[mutants[$0]].hasSuffix(killer) }.count }
    print(
      """
      \(chosen.count) mutants, \(killed) killed (\(count("waiting for ever")) by \
      waiting for ever, \(count("using up its time")) by using up their time), \(survivors.count) survived: \
      \(String(format: "%.1f", 100 * Double(killed) / Double(max(chosen.count, 1)))) %. \
      Besides, \(equivalent.count) are equivalent, and \(copy.rejected.count) do not compile. \
      It took \(Int(Date().timeIntervalSince(start)) / 60) minutes.
      """)
    exit(survivors.isEmpty ? 0 : 1)
  }
}

func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

/// The lines of a file that are not empty; none if there is no such file.
func lines(of url: URL) -> [String] {
  (try? String(contentsOf: url, encoding: .utf8))?.components(separatedBy: "\n").filter { !$0.isEmpty } ?? []
}
