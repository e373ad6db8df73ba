import Foundation
import Testing

/// The demo in its plain form.
@Suite struct DemoTests {
  @Test func eachRoundSaysWhichThreadDidWhat() throws {
    let result = try Program.run("Demo", "--rounds", "2")
    #expect(result.status == 0)
    let words = result.lines.filter { !$0.contains(".") }
    #expect(
      words
        == (1...2).flatMap { number in
          [
            "Round \(number)",
            "  main thread       asks for 32 alphas",
            "  secondary thread  computed 32 alphas at the end of its pass",
            "  main thread       took them, each a request to reload",
            "  main thread       reloads at the end of its pass",
            "  32 reload requests became 1 reload",
          ]
        })
    let grid = result.lines.filter { $0.contains(".") }
    let alphas = grid.flatMap { $0.split(separator: " ").compactMap { Double($0) } }
    #expect(alphas.count == 64)
    #expect(Set(alphas).count > 10)
    #expect(alphas.allSatisfy { (0...1).contains($0) })
  }

  @Test func withoutATerminalItEndsByItself() throws {
    let result = try Program.run("Demo")
    #expect(result.status == 0)
    #expect(result.lines.filter { $0.hasPrefix("Round") } == ["Round 1", "Round 2", "Round 3"])
  }

  @Test(arguments: [
    (["--bogus"], "unknown argument '--bogus'"), (["--rounds"], "--rounds needs a number"),
    (["--rounds", "0"], "--rounds needs a number above zero, not '0'"),
    (["--rounds", "x"], "--rounds needs a number above zero, not 'x'"),
  ])
  func badArgumentsPrintTheUsage(arguments: [String], message: String) throws {
    let result = try Program.run("Demo", arguments)
    #expect(result.status == 64)
    #expect(result.output == "")
    #expect(result.error.hasPrefix("Demo: \(message)\nusage: Demo "))
  }

  @Test func helpPrintsTheUsage() throws {
    let result = try Program.run("Demo", "--help")
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("usage: Demo "))
  }
}
