/// What is counted, for the table at the end.
enum Figure: String, CaseIterable {
  case posted = "tasks scheduled from other threads"
  case postedHere = "tasks scheduled on the loop's own thread"
  case ran = "tasks run"
  case cancelled = "tasks cancelled by cancel()"
  case replaced = "tasks replaced by key"
  case swept = "tasks cancelled by cancelAll() or by the end of their loop"
  case late = "tasks offered to loops that had ended"
  case amendments = "amendments"
  case cancelAlls = "calls of cancelAll()"
  case awaits = "awaits of run()"
  case awaitsCancelled = "awaits that were cancelled"
  case actorCalls = "calls of actors on a thread"
  case sources = "sources"
  case commands = "commands sent to sources"
  case delivered = "commands delivered"
  case observers = "observers"
  case observed = "calls of observers"
  case nestedRuns = "nested runs"
  case descriptions = "descriptions"
  case threads = "threads with a loop started"

  private static let counters = Dictionary(uniqueKeysWithValues: allCases.map { ($0, Counter()) })

  var value: Int { Self.counters[self]!.value }

  func count(_ change: Int = 1) { Self.counters[self]!.add(change) }

  static var table: String {
    let numbers = allCases.map { String($0.value) }
    let width = numbers.map(\.count).max() ?? 0
    return zip(allCases, numbers).map { figure, number in
      String(repeating: " ", count: width - number.count) + number + "  " + figure.rawValue
    }.joined(separator: "\n")
  }
}
