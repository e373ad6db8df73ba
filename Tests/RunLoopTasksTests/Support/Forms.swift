import Foundation
import RunLoopTasks

/// The ways to schedule a task on the current thread's loop. They take the same options.
enum Form: CaseIterable, Sendable {
  case chain, arguments, queue, otherThread

  /// Schedules a task on the current thread's loop.
  @discardableResult
  func perform(
    when timing: RunLoopTask.Timing = .nextLoopBegan, after delay: Duration = .zero, within limit: Duration? = nil,
    order: Int = 0, forModes modes: [RunLoop.Mode] = [.default], coalescedBy key: String? = nil,
    atMostEvery interval: Duration = .zero, _ closure: @escaping @Sendable () -> Void
  ) -> RunLoopTask {
    let queue = RunLoop.current.taskQueue
    switch self {
    case .chain:
      let task = RunLoop.current.perform(closure).when(timing).after(delay).order(order).forModes(modes)
      if let limit { task.within(limit) }
      return key.map { task.coalesced(by: $0, atMostEvery: interval) } ?? task
    case .arguments:
      return RunLoop.current.perform(
        when: timing, after: delay, within: limit, order: order, forModes: modes, coalescedBy: key,
        atMostEvery: interval, closure)
    case .queue:
      return queue.perform(
        when: timing, after: delay, within: limit, order: order, forModes: modes, coalescedBy: key,
        atMostEvery: interval, closure)
    case .otherThread:
      return onLoopThread {
        queue.perform(
          when: timing, after: delay, within: limit, order: order, forModes: modes, coalescedBy: key,
          atMostEvery: interval, closure)
      }
    }
  }
}

/// Each combination of three arguments. Swift Testing itself combines two.
func combinations<A, B, C>(_ first: [A], _ second: [B], _ third: [C]) -> [(A, B, C)] {
  first.flatMap { a in second.flatMap { b in third.map { (a, b, $0) } } }
}
