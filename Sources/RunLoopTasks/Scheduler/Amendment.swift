import Foundation

/// The number of a call about a key from another thread. Later calls have higher numbers. Calls on the loop's own
/// thread have the number 0, because that thread reads all earlier messages first.
typealias KeyNumber = UInt64

/// A change to a pending task. Dates are those of the task clock.
enum Amendment: Sendable {
  case timing(RunLoopTask.Timing)
  case modes([RunLoop.Mode])
  case delay(until: Int64)
  case limit(Int64)
  case order(Int)
  case key(TaskKey)
}

/// A key that tasks are coalesced by, and the shortest time between two of them in nanoseconds.
struct TaskKey: @unchecked Sendable {
  // Unchecked, because only a key that was made from a `Sendable` value leaves its thread.
  let value: AnyHashable
  let interval: Int64
  /// `false` for a floating-point NaN, which equals no key.
  let isEqualToItself: Bool

  init(_ value: some Hashable & Sendable, atMostEvery interval: Duration) {
    self.init(onOwnThread: value, atMostEvery: interval)
  }

  /// A key that stays on the loop's own thread.
  init(onOwnThread value: some Hashable, atMostEvery interval: Duration) {
    self.value = AnyHashable(value)
    isEqualToItself = value == value
    self.interval = interval > .zero ? interval.wholeNanoseconds : 0
  }
}
