/// What must not be kept: objects that are captured by what is handed to the package. At the end none may be left.
enum Live: String, CaseIterable {
  case closures = "closures of tasks"
  case keys = "keys"
  case commands = "commands of sources"
  case sources = "closures of sources"
  case modes = "modes that sources are in, by their onSchedule and onCancel"
  case observers = "handlers of observers"
  case threads = "bodies of threads"

  private static let counters = Dictionary(uniqueKeysWithValues: allCases.map { ($0, Counter()) })

  var number: Int { Self.counters[self]!.value }

  func add(_ change: Int) { Self.counters[self]!.add(change) }

  /// What is left of the given kinds, in words.
  static func left(_ kinds: [Live] = allCases) -> [String] {
    kinds.filter { $0.number != 0 }.map { "\($0.number) \($0.rawValue)" }
  }
}

/// Counted for as long as it is alive.
final class Captive: Sendable {
  private let kind: Live

  init(_ kind: Live) {
    self.kind = kind
    kind.add(1)
  }

  deinit { kind.add(-1) }

  func use() {}
}
