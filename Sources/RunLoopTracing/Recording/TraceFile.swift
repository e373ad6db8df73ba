import Foundation
import RunLoopTasks

/// A file in the Trace Event format: JSON, with an object for each event.
///
/// A row is a thread there. Its begin and end events must nest, and an arrow is a pair of events with a number: one
/// inside the span from which it leads, one at the beginning of the span to which it leads.
struct TraceFile {
  private(set) var text = "{\"traceEvents\":["
  private let process = ProcessInfo.processInfo.processIdentifier
  /// The arrows of which both ends are in the file, and which of these are not written yet.
  private var tails: Set<UInt64>
  private var heads: Set<UInt64>
  private var isEmpty = true

  init(_ recorders: [TraceRecorder]) {
    let rows = recorders.map { (name: $0.name, recording: $0.snapshot()) }
    var (posts, posted) = (Set<UInt64>(), Set<UInt64>())
    for span in rows.flatMap(\.recording.spans) {
      if case .post(let arrow) = span.content { posts.insert(arrow) }
      if let arrow = span.arrow { posted.insert(arrow) }
    }
    (tails, heads) = (posts.intersection(posted), posts.intersection(posted))
    add("M", row: 0, "\"name\":\"process_name\",\"args\":{\"name\":\(Self.json(ProcessInfo.processInfo.processName))}")
    for (index, row) in rows.enumerated() { add(row.recording, row.name, index + 1) }
    text += "\n],\"displayTimeUnit\":\"ms\"}\n"
  }

  // MARK: Rows

  private mutating func add(_ recording: TraceRecorder.Snapshot, _ name: String, _ row: Int) {
    add("M", row: row, "\"name\":\"thread_name\",\"args\":{\"name\":\(Self.json(name))}")
    add("M", row: row, "\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":\(row)}")
    if recording.wasFull {
      let start = Self.microseconds(recording.spans.first?.start ?? recording.end)
      add("i", row: row, "\"ts\":\(start),\"s\":\"t\",\"name\":\"older events are gone\"")
    }
    var open: [TraceSpan] = []
    func endLast() {
      let span = open.removeLast()
      // With the name and the arguments, because speedscope finds the beginning by these.
      add("E", row: row, "\"ts\":\(Self.microseconds(span.end ?? recording.end)),\(Self.description(of: span))")
    }
    for span in recording.spans {
      while open.count > span.depth { endLast() }
      add(span, row)
      if case .span = span.content { open.append(span) }
    }
    while !open.isEmpty { endLast() }
  }

  private mutating func add(_ span: TraceSpan, _ row: Int) {
    let start = "\"ts\":\(Self.microseconds(span.start))"
    let arrow = "\"name\":\"post\",\"cat\":\"post\",\(start),\"id\":"
    switch span.content {
    case .post(let number):
      if tails.remove(number) != nil { add("s", row: row, "\(arrow)\(number)") }
    case .span:
      add("B", row: row, "\(start),\(Self.description(of: span))")
      if let number = span.arrow, heads.remove(number) != nil { add("f", row: row, "\"bp\":\"e\",\(arrow)\(number)") }
    }
  }

  private mutating func add(_ phase: String, row: Int, _ rest: String) {
    text += "\(isEmpty ? "" : ",")\n{\"ph\":\"\(phase)\",\"pid\":\(process),\"tid\":\(row),\(rest)}"
    isEmpty = false
  }

  // MARK: Spans

  private static func description(of span: TraceSpan) -> String {
    func event(_ name: String, _ category: String, _ arguments: String = "") -> String {
      "\"name\":\(json(name)),\"cat\":\"\(category)\",\"args\":{\(arguments)}"
    }
    guard case .span(let content) = span.content else { return "" }  // a post, which lasts no time
    switch content {
    case .run(let mode, _): return event("run in \(mode.tracedName) mode", "run")
    case .pass: return event("pass", "pass")
    case .phase(let phase): return event(phase.rawValue, "phase")
    case .sleep: return event("sleep", "sleep")
    case .work(.task(let origin, let timing, _)):
      return event(origin.description, "\(timing)", span.waited.map { "\"waited_us\":\(microseconds($0))" } ?? "")
    case .work(.batch(let commands, let type)):
      return event("RunLoopSource<\(type)>", "source", "\"commands\":\(commands)")
    case .work(.job): return event("job", "job")
    }
  }

  // MARK: JSON

  static func microseconds(_ nanoseconds: Int64) -> String {
    let (whole, rest) = max(nanoseconds, 0).quotientAndRemainder(dividingBy: 1_000)
    return "\(whole).\(String(rest + 1_000).dropFirst())"
  }

  static func json(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      // A backslash as a number, because Perfetto takes the end of a string behind two of them for an escaped quote.
      case ..<" ", "\\": json += "\\u\(String(scalar.value + 0x10000, radix: 16).dropFirst())"
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }
}

extension RunLoop.Mode {
  /// The name without what all programs have in common.
  var tracedName: String { self == .default ? "default" : rawValue }
}
