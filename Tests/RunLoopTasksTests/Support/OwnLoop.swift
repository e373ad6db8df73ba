import Foundation
import RunLoopTesting
import Testing

extension Trait where Self == OwnRunLoop {
  /// Runs each test on a new thread with a run loop of its own. Beside other programs a test may take long, and many
  /// tests leave tasks that never run.
  static var onOwnLoop: Self {
    OwnRunLoop(clock: .running, timeLimit: .seconds(300), mayLeaveTasks: true, listens: false)
  }
}

/// The jobs of a thread; `nil` ends it.
final class Jobs: Sendable {
  private let list = Box<[(@Sendable () -> Void)?]>([])
  private let hasJob = DispatchSemaphore(value: 0)

  func add(_ job: (@Sendable () -> Void)?) {
    list.add([job])
    hasJob.signal()
  }

  func next() -> (@Sendable () -> Void)? {
    hasJob.wait()
    return list.withLock { $0.removeFirst() }
  }
}
