@testable import RunLoopTasks

/// A pending task that belongs to no loop.
func makeTask(
  _ timing: RunLoopTask.Timing = .nextLoopBegan, order: Int = 0, modes: [ModeID] = [.default], delayEnd: Int64? = nil,
  limitEnd: Int64? = nil, key: TaskKey? = nil, isSendable: Bool = false
) -> RunLoopTask {
  let task = RunLoopTask(.ended, timing, isSendable: isSendable, fileID: #fileID, line: #line) {}
  if order != 0 { task.madeOptions.order = order }
  if let delayEnd { task.madeOptions.delayEnd = delayEnd }
  if let limitEnd { task.madeOptions.limitEnd = limitEnd }
  if let key { task.key = key }
  task.setModeIDs(modes)
  return task
}

extension TaskKey: ExpressibleByStringLiteral {
  /// A key without an interval.
  public convenience init(stringLiteral value: String) { self.init(value, atMostEvery: .zero) }
}

extension ModeID {
  static let custom = ModeID(index: 2)
  static let other = ModeID(index: 3)
}
