import Foundation

/// What the soak counts.
enum Count: String, CaseIterable {
  case scheduled = "tasks scheduled"
  case ran = "tasks run"
  case cancelled = "tasks cancelled"
  case awaited = "calls awaited"
  case delivered = "commands delivered"
  case observed = "calls of observers"
  case nestedRuns = "nested runs"
  case loops = "loops started"

  // What must end: at the end nothing is left of it.
  case closures = "closures of tasks"
  case keys = "keys"
  case commands = "commands of sources"
  case sources = "closures of sources"
  case sourceModes = "modes that sources are in"
  case observers = "closures of observers"
  case threads = "bodies of threads"

  private static let counters = Dictionary(uniqueKeysWithValues: allCases.map { ($0, Counter()) })

  var value: Int { Self.counters[self]!.value }

  @discardableResult
  func add(_ change: Int = 1) -> Int { Self.counters[self]!.add(change) }

  /// Whether nothing is left of what must end.
  static var isNothingLeft: Bool {
    [Count.closures, .keys, .commands, .sources, .sourceModes, .observers, .threads].allSatisfy { $0.value == 0 }
  }

  static var table: String { allCases.map { "\($0.value)  \($0.rawValue)" }.joined(separator: "\n") }
}

/// An object that only a closure holds. The soak counts those that are alive.
final class Held: Sendable {
  private let kind: Count

  init(_ kind: Count) {
    self.kind = kind
    kind.add()
  }

  deinit { kind.add(-1) }

  /// Makes a closure capture the object.
  func use() {}
}

// MARK: - Complaints

private let complaints = Counter()

var complaintCount: Int { complaints.value }

/// Says what is wrong. The soak ends soon after.
func complain(_ what: String) {
  complaints.add()
  say(what)
}

private func say(_ text: String) { FileHandle.standardError.write(Data("soak: \(text)\n".utf8)) }

// MARK: - Waiting

/// The longest time for anything, on a busy machine and under a sanitizer.
let patience = Duration.seconds(120)

/// Waits until a condition holds; ends the program if it never does.
func waitUntil(_ what: @autoclosure () -> String, _ condition: () -> Bool) {
  let start = ContinuousClock.now
  while !condition() {
    if start.duration(to: .now) > patience { endHanging(what()) }
    Thread.sleep(forTimeInterval: 0.0001)
  }
}

/// Ends the program with a report of what hangs.
func endHanging(_ what: String) -> Never {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  say("waits in vain for \(what)")
  // If the processor time is short, the machine was too busy for this program.
  say("after \(time.tv_sec) s of processor time:\n\(Count.table)")
  _exit(1)  // `exit` might wait for what hangs
}
