import Foundation

@testable import RunLoopTasks

// Traces of real loops, to be doctored.

extension Script {
  var trace: [Event] { Driver().perform(self).trace }

  /// What the model finds wrong with the script's trace after it was changed.
  func complaint(_ doctor: (inout [Event]) -> Void) -> Complaint? {
    var trace = trace
    doctor(&trace)
    return Model.complaint(about: trace)
  }
}

/// What is recorded when a task runs.
func run(_ number: TaskNumber) -> [Event] { [.taskBegan(number), .taskEnded(number)] }

// Places in a trace.

extension [Event] {
  func start(of number: TaskNumber) -> Int { firstIndex { $0.isBegin(of: number) }! }
  func end(of number: TaskNumber) -> Int { firstIndex { $0.isEnd(of: number) }! + 1 }

  var tasksInOrder: [TaskNumber] {
    compactMap { if case .taskBegan(let number) = $0 { number } else { nil } }
  }

  mutating func removeTask(_ number: TaskNumber) { removeSubrange(start(of: number)..<end(of: number)) }

  mutating func moveTask(_ number: TaskNumber, to index: Int) {
    let range = start(of: number)..<end(of: number)
    let events = Array(self[range])
    removeSubrange(range)
    insert(contentsOf: events, at: index > range.lowerBound ? index - range.count : index)
  }
}

extension Event {
  func isBegin(of task: TaskNumber) -> Bool {
    if case .taskBegan(task) = self { true } else { false }
  }

  func isEnd(of task: TaskNumber) -> Bool {
    if case .taskEnded(task) = self { true } else { false }
  }

  func isActivity(_ activity: RunLoop.Activity, _ stage: Stage) -> Bool {
    if case .activity(activity, _, stage) = self { true } else { false }
  }

  var isCall: Bool { if case .runCalled = self { true } else { false } }
  var isReturn: Bool { if case .runReturned = self { true } else { false } }
}
