import Foundation

@testable import RunLoopTasks

// The tasks that `runAllTasks()` runs, and those that wait and run in the drain of a thread: one after the other, ahead
// of their turns.
extension Model {
  struct Flush {
    /// The tasks that may still run, in their order.
    var line: [TaskNumber]
    /// How many runs there are around it.
    let depth: Int
    let isOfDrain: Bool
    var current: TaskNumber?
    var count = 0
    /// Whether what the tasks have scheduled has its turn.
    var isSecondRound = false
  }

  mutating func beginRunningAllTasks() {
    readMessages()
    flushes.append(Flush(line: allPending, depth: runs.count, isOfDrain: false))
  }

  private var allPending: [TaskNumber] {
    let inLine = tasks.values.filter { $0.state == .pending && $0.standing == .inLine }
      .sorted { ($0.wish.order, $0.place) < ($1.wish.order, $1.place) }
    return inLine.map(\.number) + byDate(tasks.values.filter { $0.state == .pending && $0.standing == .waiting })
  }

  /// The innermost flush, with the next of its tasks first in line.
  private mutating func popFlush() -> Flush {
    var flush = flushes.removeLast()
    flush.line = Array(flush.line.drop { !isPending($0) })
    if flush.line.isEmpty, !flush.isOfDrain, !flush.isSecondRound {
      (flush.line, flush.isSecondRound) = (allPending, true)
    }
    return flush
  }

  mutating func endRunningAllTasks(_ count: Int) throws(Complaint) {
    let flush = try endFlush()
    guard count == flush.count else { throw Complaint("runAllTasks() returned \(count)") }
  }

  /// The tasks in line of this round have run, and those that wait come next.
  mutating func beginFlushOfDrain() throws(Complaint) {
    if let run = runs.last { try endBatch(of: run) }
    readMessages()
    runs[runs.count - 1].batch?.hasFlushed = true
    let waiting = byDate(pending(in: .default).filter { $0.standing == .waiting })
    flushes.append(Flush(line: waiting, depth: runs.count, isOfDrain: true))
  }

  mutating func endFlushOfDrain() throws(Complaint) {
    guard runsDelayedTasks else { return }
    if runs.last?.batch?.hasFlushed == false { try beginFlushOfDrain() }
    if flushes.last?.isOfDrain == true { _ = try endFlush() }
  }

  private mutating func endFlush() throws(Complaint) -> Flush {
    readMessages()
    let flush = popFlush()
    if let left = flush.line.first { throw Complaint("task\(left) was pending, but did not run") }
    return flush
  }

  /// - Returns: whether the task begins there, and not in a batch.
  mutating func beginInFlush(_ number: TaskNumber) throws(Complaint) -> Bool {
    guard let last = flushes.last, last.depth == runs.count, last.current.map({ tasks[$0]?.state }) != .running
    else {
      return false
    }
    var flush = popFlush()
    guard flush.line.first == number else {
      if flush.isOfDrain, flush.line.isEmpty { return false }  // it is over
      throw Complaint("task\(number) ran where all run, instead of task\(flush.line.first ?? 0)")
    }
    (flush.current, flush.count) = (number, flush.count + 1)
    flush.line.removeFirst()
    flushes.append(flush)
    if !runs.isEmpty { runs[runs.count - 1].hasRunTaskNow = true }
    return true
  }

  private func isPending(_ number: TaskNumber) -> Bool { tasks[number]?.state == .pending }

  private func byDate(_ tasks: [Item]) -> [TaskNumber] {
    let waiting = tasks.compactMap { task in task.alarm.map { (end: $0.end, since: $0.since, number: task.number) } }
    return waiting.sorted { ($0.end, $0.since) < ($1.end, $1.since) }.map(\.number)
  }
}
