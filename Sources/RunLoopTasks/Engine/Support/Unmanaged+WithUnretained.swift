/// A task whose references are not counted by the compiler: `TaskList` does that.
typealias TaskReference = Unmanaged<RunLoopTask>

extension Unmanaged {
  /// Calls `body` with the object without counting a reference.
  ///
  /// The caller must ensure that something else keeps the object alive during the call. Each task and each pass calls
  /// this, and counting a reference would cost as much as the rest of the step.
  func withUnretained<Result>(_ body: (Instance) -> Result) -> Result { _withUnsafeGuaranteedRef(body) }
}
