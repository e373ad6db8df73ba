import Foundation

// Names that a user may try first. The compiler refuses them with the words to write instead. Most of all this helps in
// a chain: for any other wrong name there, the compiler takes the first `perform` for Foundation's, and says that
// "value of tuple type '()' has no member 'when'".

extension RunLoopTask {
  /// Its name is `forModes(_:)`.
  @available(*, unavailable, renamed: "forModes(_:)")
  @discardableResult
  public func forMode(_ mode: RunLoop.Mode) -> RunLoopTask { fatalError() }

  /// Its name is `after(_:)`.
  @available(*, unavailable, renamed: "after(_:)")
  @discardableResult
  public func delay(_ delay: Duration) -> RunLoopTask { fatalError() }

  /// Its name is `coalesced(by:)`.
  @available(*, unavailable, renamed: "coalesced(by:)")
  @discardableResult
  public func coalesce(by key: some Hashable & Sendable) -> RunLoopTask { fatalError() }
}

/// For `forModes: .default`, where an array belongs.
extension [RunLoop.Mode] {
  /// Modes are an array: write `[.default]`.
  @available(*, unavailable, message: "Modes are an array: write `[.default]`")
  public static var `default`: [RunLoop.Mode] { fatalError() }

  /// Modes are an array: write `[.common]`.
  @available(*, unavailable, message: "Modes are an array: write `[.common]`")
  public static var common: [RunLoop.Mode] { fatalError() }
}
