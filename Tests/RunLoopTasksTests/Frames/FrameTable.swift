import Foundation
import Testing

#if os(macOS) || os(Linux)

  /// The tables of the article "Which frame", each with its system as the heading before it.
  struct FrameTable {
    struct Cell: Sendable, CustomTestStringConvertible {
      let request: FrameRequest
      let outcome: String

      var testDescription: String { "\(request.system), \(request.asker), \(request.way): \(outcome)" }
    }

    private(set) var cells: [Cell] = []

    static let ofArticle = {
      let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
      let article = "Sources/RunLoopTasks/RunLoopTasks.docc/Articles/WhichFrame.md"
      return FrameTable(of: (try? String(contentsOf: package.appendingPathComponent(article), encoding: .utf8)) ?? "")
    }()

    private init(of article: String) {
      var (system, ways): (String, [String]) = ("", [])
      for line in article.split(separator: "\n", omittingEmptySubsequences: false) {
        if line.hasPrefix("### ") { system = String(line.dropFirst(4)) }
        guard line.hasPrefix("|") else {
          ways = []
          continue
        }
        let columns = line.split(separator: "|").map {
          $0.filter { !"`*".contains($0) }.trimmingCharacters(in: .whitespaces)
        }
        if columns[0] == "Asked for by" {
          ways = Array(columns.dropFirst())
        } else if !columns[0].hasPrefix("--") {
          for (way, outcome) in zip(ways, columns.dropFirst()) {
            cells.append(Cell(request: FrameRequest(system: system, asker: columns[0], way: way), outcome: outcome))
          }
        }
      }
    }
  }
#endif
