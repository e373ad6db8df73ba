import Foundation
import RunLoopTracing
import Testing

/// A recording's file, read as strictly as any reader may.
struct TraceContent: @unchecked Sendable {
  // Unchecked, because what JSON consists of is constant.
  struct Event {
    let phase: String
    let row: Int
    let time: Double
    let name: String
    let category: String
    let arguments: [String: Any]
    let arrow: Int?
  }

  /// A span with those in which it lies, the outermost first.
  struct Span {
    let path: [String]
    let category: String
    let arguments: [String: Any]
    let start: Double
    var end: Double
    /// The posts that it has made, and the one that it came by.
    var posts: [Int] = []
    var arrow: Int?
  }

  private(set) var names: [Int: String] = [:]
  private(set) var spans: [Int: [Span]] = [:]
  private(set) var count = 0
  /// The rows in which a mark says that older events are gone.
  private(set) var fullRows: Set<Int> = []

  /// Writes recordings to a file, and checks it.
  init(_ traces: RunLoopTrace...) throws { try self.init(traces) }

  init(_ traces: [RunLoopTrace]) throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
    try RunLoopTrace.write(traces, to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try self.init(of: url)
  }

  init(of url: URL) throws {
    let object = try StrictJSON.value(of: String(contentsOf: url, encoding: .utf8)) as? [String: Any]
    let events = try #require((object?["traceEvents"] as? [Any?])?.compactMap { $0 as? [String: Any] })
    var (open, latest) = ([Int: [Int]](), [Int: Double]())
    var (tails, heads) = ([Int](), [Int]())
    for event in events {
      let row = Int(try #require(event["tid"] as? Double))
      let arguments = event["args"] as? [String: Any] ?? [:]
      let phase = try #require(event["ph"] as? String)
      if phase == "M" {
        if event["name"] as? String == "thread_name" { names[row] = arguments["name"] as? String }
        continue
      }
      let time = try #require(event["ts"] as? Double)
      if phase == "i" {
        #expect(
          latest[row] == nil && event["name"] as? String == "older events are gone" && event["s"] as? String == "t")
        fullRows.insert(row)
        latest[row] = time
        continue
      }
      #expect(time >= latest[row] ?? 0, "time goes back")
      latest[row] = time
      count += 1
      let around = open[row]?.last
      switch phase {
      case "B":
        let path = around.map { spans[row]![$0].path } ?? []
        let span = Span(
          path: path + [try #require(event["name"] as? String)], category: try #require(event["cat"] as? String),
          arguments: arguments, start: time, end: time)
        spans[row, default: []].append(span)
        open[row, default: []].append(spans[row]!.count - 1)
      case "E":
        let last = open[row]?.popLast()
        spans[row]![try #require(last, "an end without a beginning")].end = time
        // Speedscope finds the beginning of an end by these.
        let span = spans[row]![last!]
        #expect(event["name"] as? String == span.path.last)
        let texts = [arguments, span.arguments].map { $0.map { "\($0): \($1)" }.sorted() }
        #expect(texts[0] == texts[1])
      case "s":
        tails.append(Int(try #require(event["id"] as? Double)))
        spans[row]![try #require(around, "an arrow from nothing")].posts.append(tails.last!)
      case "f":
        heads.append(Int(try #require(event["id"] as? Double)))
        #expect(event["bp"] as? String == "e")
        spans[row]![try #require(around, "an arrow to nothing")].arrow = heads.last
      default: Issue.record("an unknown event: \(phase)")
      }
    }
    #expect(open.values.allSatisfy { $0.isEmpty }, "a beginning without an end")
    #expect(tails.sorted() == heads.sorted() && Set(tails).count == tails.count, "an arrow has two ends")
  }

  func spans(of category: String, in row: Int = 1) -> [Span] {
    spans[row, default: []].filter { $0.category == category }
  }

  /// The tasks of a row, as the names of what they lie in, without files.
  func tasks(in row: Int = 1) -> [[String]] {
    spans[row, default: []].filter { isTask($0.path.last!) }.map { $0.path.map { isTask($0) ? "task" : $0 } }
  }

  private func isTask(_ name: String) -> Bool { name.contains(".swift:") }
}
