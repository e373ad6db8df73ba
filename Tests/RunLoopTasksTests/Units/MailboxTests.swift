import Foundation
import Testing

@testable import RunLoopTasks

/// What the mailbox keeps, and how much. The model asks what the loop's thread makes of it.
@Suite struct MailboxTests {
  private var mailbox = Mailbox()

  private func text(_ message: Mailbox.Message, _ tasks: [RunLoopTask]) -> String {
    func number(_ task: RunLoopTask) -> Int { tasks.firstIndex { $0 === task } ?? -1 }
    return switch message.content {
    case .task(let task, let cancelsFirst): "\(cancelsFirst ? "cancel and " : "")task \(number(task))"
    case .amendment(let task, _): "amend \(number(task))"
    case .cancellation(let key, _): "cancel \(key.value)"
    case .release(let task): "release \(number(task))"
    case .releaseOutdated: "release outdated"
    }
  }

  private mutating func takeAll(_ tasks: RunLoopTask...) -> [String] {
    mailbox.take().messages.map { text($0, tasks) }
  }

  /// A pending task that belongs to no loop.
  private func makeTask(key: String? = nil, isSendable: Bool = true, after delay: Int64? = nil) -> RunLoopTask {
    let task = RunLoopTask(.ended, isSendable: isSendable, fileID: #fileID, line: #line) {}
    task.key = key.map(Self.key)
    if let delay { task.makeOptions().delayEnd = delay }
    return task
  }

  private static func key(_ name: String) -> TaskKey { TaskKey(name, atMostEvery: .zero) }

  @discardableResult
  private mutating func add(_ content: Mailbox.Content, at date: Int64 = 0) -> RunLoopTask? {
    mailbox.add(content, at: date).cancelledTask
  }

  @Test mutating func allTasksAreReleasedOnce() {
    for _ in 0..<3 { add(.releaseOutdated) }
    #expect(takeAll() == ["release outdated"])
  }

  @Test mutating func datesAscend() {
    for date in [5, 3, 8] as [Int64] { add(.task(makeTask()), at: date) }
    #expect(mailbox.take().messages.map(\.date) == [5, 5, 8])
  }

  @Test mutating func aTaskReplacesTheUnreadOneThatWasSentWithItsKey() {
    let (old, other, new) = (makeTask(key: "k"), makeTask(), makeTask(key: "k"))
    add(.task(old))
    add(.task(other))
    #expect(add(.task(new)) === old && old.state == .cancelled)
    #expect(takeAll(old, other, new) == ["task 2", "task 1"])
  }

  /// The main thread alone may release its closure.
  @Test mutating func aReplacedTaskWhoseClosureIsNotSendableIsReleasedByTheLoop() {
    let (old, new) = (makeTask(key: "k", isSendable: false), makeTask(key: "k"))
    add(.task(old))
    #expect(add(.task(new)) == nil && old.state == .cancelled)
    #expect(takeAll(old, new) == ["task 1", "release 0"])
  }

  @Test mutating func aTaskDoesNotOvertakeOneThatWasGivenItsKeyByALink() {
    let (old, linked, new) = (makeTask(key: "k"), makeTask(), makeTask(key: "k"))
    add(.task(old))
    add(.task(linked))
    add(.amendment(linked, .key(Self.key("k"))))
    add(.task(new))
    #expect(takeAll(old, linked, new) == ["task 0", "task 1", "amend 1", "task 2"])
  }

  @Test mutating func aTaskThatALinkGivesAnotherKeyIsNotReplaced() {
    let (old, new) = (makeTask(key: "k"), makeTask(key: "k"))
    add(.task(old))
    add(.amendment(old, .key(Self.key("l"))))
    add(.task(new))
    #expect(old.state == .pending && takeAll(old, new) == ["task 0", "amend 0", "task 1"])
  }

  @Test mutating func cancellationsAndTasksOfOneKeyLeaveOneMessage() {
    var last = makeTask(key: "k")
    for _ in 0..<3 {
      add(.cancellation(Self.key("k"), releasing: nil))
      add(.cancellation(Self.key("k"), releasing: nil))
      last = makeTask(key: "k")
      add(.task(last))
    }
    #expect(last.state == .pending && takeAll(last) == ["cancel and task 0"])
  }

  /// When the new task gets its place: with the old one, if that had a place, or now.
  @Test(arguments: [(nil, Int64?.none), (5, 5), (50, 10)] as [(Int64?, Int64?)])
  mutating func aReplacementGetsThePlaceOfTheOldTask(delayOfOld: Int64?, place: Int64?) {
    let new = makeTask(key: "k")
    add(.task(makeTask(key: "k", after: delayOfOld)))
    add(.task(new), at: 10)
    #expect(new.options?.delayEnd == place)
  }
}
