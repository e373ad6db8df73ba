import Foundation
import Testing

@testable import RunLoopTasks

/// A line of tasks, against an array: whatever is put in and taken out, the rest stands as it should.
@Suite struct LaneTests {
  @Test(arguments: UInt64(1)...20) func itIsTheLineThatItShouldBe(seed: UInt64) {
    let complaint: String? = onLoopThread {
      var line = CheckedLine(seed: seed)
      defer { line.empty() }
      for step in 1...400 {
        let change = line.change()
        if let complaint = line.complaint ?? line.complaintOfFirst() {
          return "after step \(step), \(change): \(complaint)"
        }
      }
      return nil
    }
    #expect(complaint == nil)
  }
}

private struct CheckedLine {
  private let scheduler = Scheduler.current
  private let lane = Lane(.idle)
  private var random: SplitMix
  private var tasks: [RunLoopTask] = []
  /// What was taken out, and is put back at times; all of it is kept, so that a stale reference to it does no worse than to lie.
  private var others: [RunLoopTask] = []
  private var nextOrder: UInt64 = 1

  init(seed: UInt64) { random = SplitMix(state: seed) }

  func empty() {
    for task in lane.tasks { lane.remove(task) }
    scheduler.marks = [:]
  }

  mutating func change() -> String {
    let mayShrink = tasks.count > Int.random(in: 0...12, using: &random)
    switch Int.random(in: 0...5, using: &random) {
    case 0 where mayShrink:
      let batch = UInt64.random(in: 0...nextOrder, using: &random)
      let mayGo = tasks[0].order < batch && !tasks[0].isMarked
      guard let taken = lane.takeFirst(inBatch: batch) else { return mayGo ? note("took nothing") : "took nothing" }
      guard mayGo, taken === tasks.removeFirst() else { return note("took the wrong one") }
      others.append(taken)
      return "took the first"
    case 1 where mayShrink, 2 where mayShrink:
      let removed = tasks.remove(at: Int.random(in: tasks.indices, using: &random))
      lane.remove(removed)
      others.append(removed)
      return "removed \(removed.order)"
    case 3 where !others.isEmpty:
      let task = others.remove(at: Int.random(in: others.indices, using: &random))
      let index = tasks.firstIndex { $0.order > task.order } ?? tasks.endIndex
      // One that was replaced has a double now.
      guard !tasks.contains(where: { $0.order == task.order }) else { return "did nothing" }
      lane.insert(task)
      tasks.insert(task, at: index)
      return "inserted \(task.order)"
    case 4 where !others.isEmpty && !tasks.isEmpty:
      let task = others.remove(at: Int.random(in: others.indices, using: &random))
      let index = Int.random(in: tasks.indices, using: &random)
      task.order = tasks[index].order
      lane.insert(task, inPlaceOf: tasks[index])
      others.append(tasks[index])
      tasks[index] = task
      return "replaced \(task.order)"
    default:
      let task = RunLoopTask(scheduler, fileID: #fileID, line: #line, closure: nil)
      task.order = nextOrder
      nextOrder += UInt64.random(in: 1...3, using: &random)
      if Int.random(in: 0...3, using: &random) == 0 {
        let birth = task.order + UInt64.random(in: 0...3, using: &random)
        task.mark = Mark(key: nil, birth: birth, ready: birth + UInt64.random(in: 0...3, using: &random))
      }
      lane.append(task)
      tasks.append(task)
      return "appended \(task.order)"
    }
  }

  private var noted: String?

  private mutating func note(_ complaint: String) -> String {
    noted = complaint
    return complaint
  }

  var complaint: String? {
    if let noted { return noted }
    let orders = lane.tasks.map(\.order)
    if !lane.tasks.elementsEqual(tasks, by: ===) { return "the line is \(orders), not \(tasks.map(\.order))" }
    if lane.isEmpty != tasks.isEmpty { return "it is \(lane.isEmpty ? "" : "not ")empty" }
    for (index, task) in tasks.enumerated() {
      if task.lane !== lane { return "\(task.order) does not know its line" }
      if task.older !== (index > 0 ? tasks[index - 1] : nil) { return "\(task.order) does not know the one before" }
    }
    for task in others where task.lane != nil || task.older != nil || task.next != nil {
      return "\(task.order) was not let go of"
    }
    return nil
  }

  /// The first that may run.
  mutating func complaintOfFirst() -> String? {
    let batch = UInt64.random(in: 0...nextOrder, using: &random)
    let birthLimit = Bool.random(using: &random) ? .max : UInt64.random(in: 0...nextOrder, using: &random)
    let expected = tasks.first {
      $0.order < min(batch, birthLimit) && $0.mark.ready < batch && $0.mark.birth < birthLimit
    }
    let found = birthLimit == .max ? lane.first(inBatch: batch) : lane.first(inBatch: batch, bornBefore: birthLimit)
    return found === expected
      ? nil : "in batch \(batch), of those born before \(birthLimit), the wrong one is the first"
  }
}
