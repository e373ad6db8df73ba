import Foundation
import Testing

@testable import RunLoopTasks

/// What the mailbox keeps, and how much. The model asks what the loop's thread makes of it.
@Suite struct MailboxTableTests {
  private var mailbox = Mailbox()

  /// What a message says.
  private func text(_ message: Mailbox.Message, _ tasks: [RunLoopTask]) -> String {
    func number(_ task: RunLoopTask) -> Int { tasks.firstIndex { $0 === task } ?? -1 }
    return switch message.content {
    case .task(let task): "task \(number(task))"
    case .key(let task): "key \(number(task))"
    case .amendment(let task, _): "amend \(number(task))"
    case .cancellation(let key): "cancel \(key.value)"
    case .release(let task): "release \(number(task))"
    case .releaseOutdated: "release outdated"
    case .empty: "empty"
    }
  }

  private mutating func takeAll(_ tasks: RunLoopTask...) -> [String] {
    mailbox.take().messages.map { text($0, tasks) }
  }

  /// A pending task that belongs to no loop.
  private func makeTask(key: String? = nil, isSendable: Bool = false) -> RunLoopTask {
    let task = RunLoopTask(.ended, isSendable: isSendable, fileID: #fileID, line: #line) {}
    task.key = key.map { TaskKey($0, atMostEvery: .zero) }
    return task
  }

  private mutating func add(_ task: RunLoopTask, at date: Int64 = 0) { mailbox.add(task, at: date) }

  @Test mutating func allTasksAreReleasedOnce() {
    let task = makeTask()
    for _ in 0..<3 { mailbox.releaseOutdated(at: 0) }
    add(task)
    mailbox.releaseOutdated(at: 0)
    #expect(takeAll(task) == ["release outdated", "task 0"])
  }

  // MARK: Amendments

  @Test mutating func aDelayLetsATaskComeInAnewAndManyOfThemLeaveOneMessage() {
    let (task, other) = (makeTask(key: "k"), makeTask())
    for task in [task, other] { add(task) }
    for date in 2..<10_002 { mailbox.amend(task, .delay(until: Int64(date) + 10), at: Int64(date)) }
    mailbox.amend(other, .delay(until: 3), at: 200_000)  // it has ended
    let messages = mailbox.take().messages
    #expect(messages.count < 100)
    let left = messages.filter { if case .empty = $0.content { false } else { true } }
    #expect(left.map { text($0, [task, other]) } == ["task 1", "task 0", "key 0"])
    #expect(left.map(\.date) == [0, 10_001, 10_001] && task.options?.delayEnd == 10_011)
  }

  @Test mutating func datesAscend() {
    for date in [5, 3, 8] as [Int64] { add(makeTask(), at: date) }
    #expect(mailbox.take().messages.map(\.date) == [5, 5, 8])
  }

  /// The key of one of them is found after the others have made room.
  @Test mutating func tasksThatAreCancelledLeaveNoMoreMessagesThanTheRestHas() {
    let (old, new, last) = (makeTask(key: "l", isSendable: true), makeTask(key: "l"), makeTask(key: "k"))
    for number in 0..<1_000 {
      let task = makeTask(key: "k", isSendable: true)
      add(task)
      #expect(task.leavePending(for: .cancelled))
      if number == 5 { add(old) }
    }
    add(new)
    add(last)
    #expect(mailbox.contains(new) && mailbox.contains(last) && old.state == .cancelled)
    let texts = takeAll(new, last)
    #expect(texts.count < 100)
    #expect(texts.filter { $0 != "empty" } == ["cancel k", "task 0", "key 0", "task 1", "key 1"])
  }
}
