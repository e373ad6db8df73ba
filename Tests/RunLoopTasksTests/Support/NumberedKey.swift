/// A key that equals others with the same number, and whose release is noticed.
struct NumberedKey: Hashable, Sendable {
  private let number: Int
  private let token: Token

  init(_ number: Int, whenReleased: @escaping @Sendable () -> Void = {}) {
    (self.number, token) = (number, Token(whenReleased))
  }

  static func == (one: NumberedKey, other: NumberedKey) -> Bool { one.number == other.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// Makes keys, and counts those that something still holds.
struct Keys: Sendable {
  private let made = Counter()
  private let released = Counter()

  var held: Int { made.value - released.value }

  func callAsFunction(_ number: Int) -> NumberedKey {
    made.count()
    return NumberedKey(number) { [released] in released.count() }
  }
}
