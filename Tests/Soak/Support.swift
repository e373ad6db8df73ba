import Foundation
import Randomness
import Synchronization

/// A number that threads change without ordering other memory, so that counting hides no data race from the thread
/// sanitizer.
final class Counter: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .relaxed) }

  @discardableResult
  func add(_ change: Int = 1) -> Int { number.add(change, ordering: .relaxed).newValue }
}

/// A flag that is set once and stays set.
final class Flag: Sendable {
  private let bit = Atomic(false)

  var isSet: Bool { bit.load(ordering: .acquiring) }
  func set() { bit.store(true, ordering: .releasing) }
}

/// Random choices that depend only on a seed.
typealias Random = SplitMix

extension SplitMix {
  /// Makes a generator for another thread.
  mutating func split() -> Random { Random(state: next()) }

  /// True once in this many times, on average.
  mutating func once(in times: Int) -> Bool { number(below: times) == 0 }

  mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

  mutating func sleep(microsecondsBelow limit: Int) {
    Thread.sleep(forTimeInterval: Double(number(below: limit)) / 1_000_000)
  }
}
