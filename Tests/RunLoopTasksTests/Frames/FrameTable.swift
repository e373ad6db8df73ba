import Foundation
import Testing

#if os(macOS) || os(Linux)

  /// The table of the article "In the same frame". The first cell of a row without outcomes is the system of the rows
  /// below it.
  struct FrameTable {
    struct Cell: Sendable, CustomTestStringConvertible {
      let request: FrameRequest
      let outcome: String

      var testDescription: String { "\(request.system), \(request.asker), \(request.way): \(outcome)" }
    }

    private(set) var cells: [Cell] = []

    static let ofArticle = {
      let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
      let article = "Sources/RunLoopTasks/RunLoopTasks.docc/Articles/InTheSameFrame.md"
      return FrameTable(of: (try? String(contentsOf: package.appendingPathComponent(article), encoding: .utf8)) ?? "")
    }()

    private init(of article: String) {
      var (system, ways): (String, [String]) = ("", [])
      for line in article.split(separator: "\n", omittingEmptySubsequences: false) where line.hasPrefix("|") {
        let columns = line.split(separator: "|").map {
          $0.filter { !"`*".contains($0) }.trimmingCharacters(in: .whitespaces)
        }
        if columns[0] == "Requested by" {
          ways = Array(columns.dropFirst())
        } else if columns[1].isEmpty {
          system = columns[0]
        } else if !columns[0].hasPrefix("--") {
          for (way, outcome) in zip(ways, columns.dropFirst()) where !["–", "?"].contains(outcome) {
            cells.append(Cell(request: FrameRequest(system: system, asker: columns[0], way: way), outcome: outcome))
          }
        }
      }
    }
  }
#endif
