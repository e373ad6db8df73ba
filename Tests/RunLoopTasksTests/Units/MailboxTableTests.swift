import Foundation
import Testing

@testable import RunLoopTasks

@Suite struct MailboxTableTests {
  private var mailbox = Mailbox()

  /// What a message says.
  private func text(_ message: Mailbox.Message, _ tasks: [RunLoopTask]) -> String {
    func number(_ task: RunLoopTask) -> Int { tasks.firstIndex { $0 === task } ?? -1 }
    return switch message {
    case .schedule(let task, let modes): "schedule \(number(task)) \(modes.map(\.rawValue).joined(separator: "+"))"
    case .amend(let task, _): "amend \(number(task))"
    case .discard(let task): "discard \(number(task))"
    case .discardOutdated: "discard outdated"
    case .cancel(let key, _): "cancel \(key.value)"
    case .empty: "empty"
    }
  }

  private mutating func takeAll(_ tasks: RunLoopTask...) -> [String] {
    mailbox.takeAll().messages.map { text($0, tasks) }
  }

  /// - Returns: the task whose closure and key the caller must release.
  @discardableResult
  private mutating func schedule(_ task: RunLoopTask, _ modes: [RunLoop.Mode]) -> RunLoopTask? {
    mailbox.schedule(task, modes)
    return mailbox.takeLeftovers().tasks.last
  }

  @discardableResult
  private mutating func amend(_ task: RunLoopTask, _ amendment: Amendment) -> RunLoopTask? {
    mailbox.amend(task, amendment)
    return mailbox.takeLeftovers().tasks.last
  }

  private static func key(_ value: some Hashable & Sendable) -> TaskKey { TaskKey(value, atMostEvery: .zero) }
  private let a = [RunLoop.Mode("a")]
  private let b = [RunLoop.Mode("b")]

  @Test mutating func messagesKeepTheirOrderAndAreTakenOnce() {
    let (one, two) = (makeTask(), makeTask())
    #expect(mailbox.isEmpty)
    #expect(schedule(one, a) == nil)
    mailbox.add(.discard(two))
    #expect(schedule(two, a + b) == nil && !mailbox.isEmpty)
    mailbox.cancelTask(with: Self.key("k"))
    #expect(takeAll(one, two) == ["schedule 0 a", "discard 1", "schedule 1 a+b", "cancel k"])
    #expect(mailbox.isEmpty)
    #expect(takeAll() == [])
  }

  @Test mutating func allTasksAreDiscardedOnceInARow() {
    let task = makeTask()
    for _ in 0..<3 { mailbox.add(.discardOutdated) }
    schedule(task, a)
    mailbox.add(.discardOutdated)
    #expect(takeAll(task) == ["discard outdated", "schedule 0 a", "discard outdated"])
  }

  // MARK: Amendments

  @Test mutating func aTaskInTheMailboxIsAmendedThere() {
    let (task, other) = (makeTask(), makeTask())
    for task in [task, other] { schedule(task, a) }
    let amendments: [Amendment] = [
      .timing(.idle), .modes(b), .delay(until: 5), .limit(7), .order(-3), .key(Self.key("k")),
    ]
    for amendment in amendments { #expect(amend(task, amendment) == nil) }
    #expect(task.timing == .idle && task.order == -3)
    #expect(task.options?.delayEnd == 5 && task.options?.limitEnd == 7 && task.key == "k")
    #expect(mailbox.modes(of: task) == b && mailbox.modes(of: other) == a)
    #expect(takeAll(task, other) == ["schedule 0 b", "schedule 1 a"])
    #expect(other.timing == .nextLoopBegan && other.options == nil)
  }

  @Test mutating func aTaskThatWasReadIsAmendedByAMessage() {
    let (task, other) = (makeTask(), makeTask())
    schedule(task, a)
    _ = mailbox.takeAll()
    #expect(mailbox.modes(of: task) == nil)
    schedule(other, a)
    #expect(amend(task, .timing(.idle)) == nil && task.timing == .nextLoopBegan)
    #expect(takeAll(task, other) == ["schedule 1 a", "amend 0"])
  }

  // MARK: Coalescing

  @Test(arguments: [false, true])
  mutating func aTaskTakesThePlaceOfTheOneWithItsKey(isSendable: Bool) {
    let (old, other, new) = (makeTask(key: "k", isSendable: isSendable), makeTask(key: "l"), makeTask(key: "k"))
    for task in [old, other] { #expect(schedule(task, a) == nil) }
    // Whoever may release the closure does so.
    #expect(schedule(new, b) === (isSendable ? old : nil))
    #expect(old.state == .cancelled && new.state == .pending && mailbox.modes(of: new) == b)
    #expect(takeAll(old, other, new) == ["schedule 2 b", "schedule 1 a"] + (isSendable ? [] : ["discard 0"]))
  }

  @Test mutating func manyTasksOfAKeyLeaveOneMessage() {
    var last = makeTask(key: "k", isSendable: true)
    schedule(last, a)
    for _ in 0..<1_000 {
      last = makeTask(key: "k", isSendable: true)
      schedule(last, a)
    }
    let (messages, keys) = mailbox.takeAll()
    #expect(messages.map { text($0, [last]) } == ["schedule 0 a"] && keys == ["k"])
  }

  @Test mutating func aTaskThatGetsAKeyTakesAPlaceAndLeavesItsOwn() {
    let (old, new, last) = (makeTask(key: "k", isSendable: true), makeTask(key: "l"), makeTask())
    for task in [old, new, last] { schedule(task, a) }
    #expect(amend(new, .key(Self.key("k"))) === old)
    #expect(mailbox.modes(of: new) == a && mailbox.modes(of: last) == a)
    // Nobody has its old key any more.
    let other = makeTask(key: "l")
    schedule(other, b)
    #expect(takeAll(old, new, last, other) == ["schedule 1 a", "empty", "schedule 2 a", "schedule 3 b"])
    #expect(new.state == .pending)
  }

  /// Where the latest message was, another one comes.
  @Test mutating func aKeyThatATaskHadBeforeIsNotThatOfTheMessageInItsPlace() {
    let (old, new, other, last) = (
      makeTask(key: "k", isSendable: true), makeTask(key: "l"), makeTask(), makeTask(key: "l")
    )
    for task in [old, new] { schedule(task, a) }
    #expect(amend(new, .key(Self.key("k"))) === old)
    for task in [other, last] { #expect(schedule(task, b) == nil) }
    #expect(other.state == .pending)
    #expect(takeAll(old, new, other, last) == ["schedule 1 a", "schedule 2 b", "schedule 3 b"])
  }

  @Test mutating func aCancelledTaskGivesNoPlace() {
    let (old, new) = (makeTask(key: "k"), makeTask(key: "k"))
    schedule(old, a)
    #expect(old.leavePending(for: .cancelled, onLoopThread: false))
    #expect(schedule(new, a) == nil)
    // It would have replaced the one that the loop's thread has.
    #expect(takeAll(old, new) == ["cancel k", "schedule 1 a", "discard 0"])
  }

  @Test mutating func tasksThatAreCancelledLeaveNoMoreMessagesThanTheRestHas() {
    let (other, last) = (makeTask(), makeTask(key: "k"))
    for number in 0..<1_000 {
      let task = makeTask(key: "k", isSendable: true)
      schedule(task, a)
      #expect(task.leavePending(for: .cancelled, onLoopThread: false))
      if number == 500 { schedule(other, b) }
    }
    schedule(last, a)
    #expect(mailbox.modes(of: other) == b && mailbox.modes(of: last) == a)
    let texts = takeAll(other, last)
    #expect(texts.count < 100)
    #expect(texts.filter { $0 != "empty" } == ["cancel k", "schedule 0 b", "schedule 1 a"])
  }

  @Test mutating func aKeyIsForgottenWhenTheMailboxIsRead() {
    let (old, new) = (makeTask(key: "k"), makeTask(key: "k"))
    schedule(old, a)
    _ = mailbox.takeAll()
    #expect(schedule(new, a) == nil && old.state == .pending)
  }

  @Test mutating func theTaskWithAKeyIsCancelledInTheMailboxAndOnTheLoop() {
    let (task, other) = (makeTask(key: "k"), makeTask(key: "l"))
    for task in [task, other] { schedule(task, a) }
    mailbox.cancelTask(with: Self.key("k"))
    #expect(task.state == .cancelled && other.state == .pending)
    // When it is read, it replaces the one that the loop's thread has. Nobody has the key that is cancelled here.
    mailbox.cancelTask(with: Self.key("m"))
    #expect(takeAll(task, other) == ["schedule 0 a", "schedule 1 a", "cancel m"])
  }

  @Test mutating func aKeyThatEqualsNoKeyTakesTheOldKeyAway() {
    let task = makeTask(key: "k")
    schedule(task, a)
    #expect(!Self.key(Double.nan).isEqualToItself && Self.key(1.0).isEqualToItself)
    #expect(amend(task, .key(Self.key(Double.nan))) == nil && task.key == nil)
  }

  @Test(arguments: [(Duration.seconds(-1), Int64(0)), (.zero, 0), (.seconds(2), 2_000_000_000)])
  func anIntervalIsNeverBelowZero(interval: Duration, nanoseconds: Int64) {
    #expect(TaskKey("k", atMostEvery: interval).interval == nanoseconds)
  }
}
