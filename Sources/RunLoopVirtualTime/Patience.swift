import Foundation

/// How long to wait for something: until nothing has gone on in the process for half a second.
///
/// The measure is not the time but how often the waiter has waited for a millisecond: on a busy machine that takes
/// longer, and so does what it waits for. A wait in which the process has worked counts a twentieth, because what is
/// awaited may stand behind that work, as at the beginning of many tests. It does count, because the work may never
/// end.
struct Patience {
  private static let weightOfIdleWait = 20

  private var left = 500 * weightOfIdleWait
  private var processorTime: Int64

  /// - Parameter now: the nanoseconds that processors have worked for the process.
  init(at now: Int64 = nanosecondsOfProcessorTime()) { processorTime = now }

  var isOver: Bool { left <= 0 }

  /// Notes that the waiter has waited for a millisecond.
  mutating func noteWait(at now: Int64 = nanosecondsOfProcessorTime()) {
    let hasWorked = now - processorTime > 100_000  // to wake the waiter takes less
    (left, processorTime) = (left - (hasWorked ? 1 : Self.weightOfIdleWait), now)
  }
}

private func nanosecondsOfProcessorTime() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
