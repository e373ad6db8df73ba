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
