import Foundation
import Testing

@testable import RunLoopTasks

@Suite struct MailboxTableTests {
  private var mailbox = Mailbox()

  /// What a message says.
  private func text(_ message: Mailbox.Message, _ tasks: [RunLoopTask]) -> String {
    func number(_ task: RunLoopTask) -> Int { tasks.firstIndex { $0 === task } ?? -1 }
    return switch message.content {
    case .task(let task, let modes): "task \(number(task)) \(modes.map(\.rawValue).joined(separator: "+"))"
    case .key(let task): "key \(number(task))"
    case .amendment(let task, _): "amend \(number(task))"
    case .cancellation(let key): "cancel \(key.value)"
    case .release(let task): "release \(number(task))"
    case .releaseOutdated: "release outdated"
    case .empty: "empty"
    }
  }

  private mutating func takeAll(_ tasks: RunLoopTask...) -> [String] {
    mailbox.takeAll().messages.map { text($0, tasks) }
  }

  /// - Returns: the task whose closure and key the caller must release.
  @discardableResult
  private mutating func add(_ task: RunLoopTask, _ modes: [RunLoop.Mode], at date: Int64 = 0) -> RunLoopTask? {
    mailbox.add(task, modes, at: date)
    return mailbox.takeLeftovers().tasks.last
  }

  @discardableResult
  private mutating func amend(_ task: RunLoopTask, _ amendment: Amendment, at date: Int64 = 0) -> RunLoopTask? {
    mailbox.amend(task, amendment, at: date)
    return mailbox.takeLeftovers().tasks.last
  }

  private mutating func cancelTask(with key: TaskKey) { mailbox.cancelTask(with: key, at: 0) }

  private static func key(_ value: some Hashable & Sendable) -> TaskKey { TaskKey(value, atMostEvery: .zero) }
  private let a = [RunLoop.Mode("a")]
  private let b = [RunLoop.Mode("b")]

  @Test mutating func messagesKeepTheirOrderAndAreTakenOnce() {
    let (one, two) = (makeTask(), makeTask())
    #expect(mailbox.isEmpty)
    #expect(add(one, a) == nil)
    mailbox.release(two, at: 0)
    #expect(add(two, a + b) == nil && !mailbox.isEmpty)
    cancelTask(with: "k")
    #expect(takeAll(one, two) == ["task 0 a", "release 1", "task 1 a+b", "cancel k"])
    #expect(mailbox.isEmpty)
    #expect(takeAll() == [])
  }

  @Test mutating func allTasksAreReleasedOnce() {
    let task = makeTask()
    for _ in 0..<3 { mailbox.releaseOutdated(at: 0) }
    add(task, a)
    mailbox.releaseOutdated(at: 0)
    #expect(takeAll(task) == ["release outdated", "task 0 a"])
  }

  // MARK: Amendments

  @Test mutating func aDelayLetsATaskComeInAnewAndAMillionOfThemLeaveOneMessage() {
    let (task, other) = (makeTask(key: "k"), makeTask())
    for task in [task, other] { add(task, a) }
    amend(task, .delay(until: .min), at: 1)  // none, so it keeps its place
    #expect(mailbox.modes(of: task) == a)
    for date in 2..<1_000_002 { amend(task, .delay(until: Int64(date) + 10), at: Int64(date)) }
    amend(other, .delay(until: 3), at: 2_000_000)  // it has ended
    let messages = mailbox.takeAll().messages
    #expect(messages.count < 100)
    let left = messages.filter { if case .empty = $0.content { false } else { true } }
    #expect(left.map { text($0, [task, other]) } == ["task 1 a", "task 0 a", "key 0"])
    #expect(left.map(\.date) == [0, 1_000_001, 1_000_001] && task.options?.delayEnd == 1_000_011)
  }

  @Test mutating func datesAscend() {
    for date in [5, 3, 8] as [Int64] { add(makeTask(), a, at: date) }
    #expect(mailbox.takeAll().messages.map(\.date) == [5, 5, 8])
  }

  /// A mailbox may have more messages than the index of a task can count.
  @Test mutating func aTaskThatIsNotFoundIsAmendedByAMessage() {
    let task = makeTask()
    add(task, a)
    task.mailIndex = .max
    amend(task, .key(Self.key("k")))
    #expect(takeAll(task) == ["task 0 a", "amend 0"])
  }

  // MARK: Coalescing

  @Test(arguments: [false, true])
  mutating func aTaskTakesThePlaceOfTheOneWithItsKey(isSendable: Bool) {
    let (old, other, new) = (makeTask(key: "k", isSendable: isSendable), makeTask(key: "l"), makeTask(key: "k"))
    for task in [old, other] { #expect(add(task, a) == nil) }
    // Whoever may release the closure does so.
    #expect(add(new, b) === (isSendable ? old : nil))
    #expect(old.state == .cancelled && new.state == .pending && mailbox.modes(of: new) == b)
    #expect(takeAll(old, other, new) == ["task 2 b", "key 2", "task 1 a", "key 1"] + (isSendable ? [] : ["release 0"]))
  }

  @Test mutating func aTaskThatGetsAKeyTakesAPlaceAndLeavesItsOwn() {
    let (old, new, last) = (makeTask(key: "k", isSendable: true), makeTask(key: "l"), makeTask())
    for task in [old, new, last] { add(task, a) }
    #expect(amend(new, .key(Self.key("k"))) === old)
    #expect(mailbox.modes(of: new) == a && mailbox.modes(of: last) == a)
    // Nobody has its old key any more.
    let other = makeTask(key: "l")
    add(other, b)
    #expect(
      takeAll(old, new, last, other).filter { $0 != "empty" } == ["task 1 a", "key 1", "task 2 a", "task 3 b", "key 3"])
    #expect(new.state == .pending)
  }

  /// Where the latest message was, another one comes.
  @Test mutating func aKeyThatATaskHadBeforeIsNotThatOfTheMessageInItsPlace() {
    let (old, new, other, last) = (
      makeTask(key: "k", isSendable: true), makeTask(key: "l"), makeTask(), makeTask(key: "l")
    )
    for task in [old, new] { add(task, a) }
    #expect(amend(new, .key(Self.key("k"))) === old)
    for task in [other, last] { #expect(add(task, b) == nil) }
    #expect(other.state == .pending)
    #expect(takeAll(old, new, other, last) == ["task 1 a", "key 1", "task 2 b", "task 3 b", "key 3"])
  }

  @Test mutating func aCancelledTaskGivesNoPlace() {
    let (old, new) = (makeTask(key: "k"), makeTask(key: "k"))
    add(old, a)
    #expect(old.leavePending(for: .cancelled, onLoopThread: false))
    #expect(add(new, a) == nil)
    // It would have replaced the one that the loop's thread has.
    #expect(takeAll(old, new) == ["release 0", "cancel k", "task 1 a", "key 1"])
  }

  @Test mutating func tasksThatAreCancelledLeaveNoMoreMessagesThanTheRestHas() {
    let (other, last) = (makeTask(), makeTask(key: "k"))
    for number in 0..<1_000 {
      let task = makeTask(key: "k", isSendable: true)
      add(task, a)
      #expect(task.leavePending(for: .cancelled, onLoopThread: false))
      if number == 500 { add(other, b) }
    }
    add(last, a)
    #expect(mailbox.modes(of: other) == b && mailbox.modes(of: last) == a)
    let texts = takeAll(other, last)
    #expect(texts.count < 100)
    #expect(texts.filter { $0 != "empty" } == ["cancel k", "task 0 b", "task 1 a", "key 1"])
  }
}
