import Synchronization

/// How long the tasks of one activity may take. Any thread may change it.
struct Budget: ~Copyable, Sendable {
  /// `.max` for no limit.
  private let value = Atomic<Int64>(.max)

  /// The limit in nanoseconds, `.max` without one.
  var nanoseconds: Int64 { value.load(ordering: .relaxed) }

  var duration: Duration? {
    get {
      let nanoseconds = nanoseconds
      return nanoseconds == .max ? nil : .nanoseconds(nanoseconds)
    }
    nonmutating set {
      value.store(newValue.map { min(max($0.wholeNanoseconds, 1), .max - 1) } ?? .max, ordering: .relaxed)
    }
  }
}
