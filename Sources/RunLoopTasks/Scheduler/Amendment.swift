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
