extension Unmanaged {
  /// Calls `body` with the object, whose references are not counted for it.
  ///
  /// Who calls this says, where the reference is declared, who holds the object meanwhile. On the way of each task and each pass it
  /// matters: to count a reference costs as much as the rest of a small step. The standard library has it under a name of its own.
  @inline(__always)
  func borrow<Result>(_ body: (Instance) -> Result) -> Result { _withUnsafeGuaranteedRef(body) }
}
