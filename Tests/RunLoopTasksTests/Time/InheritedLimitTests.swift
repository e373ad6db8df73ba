import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// A task that replaces another is due at the latest when the replaced task would have been.
@Suite(.onOwnLoop) struct InheritedLimitTests {
  let log = Log()

  enum Order: CaseIterable { case limitFirst, keyFirst }

  /// The sample of the README, in seconds instead of milliseconds.
  @Test(arguments: Form.allCases, Order.allCases)
  func aDebounceWithALimitSavesAgainAndAgain(_ form: Form, _ order: Order) {
    for number in 1...100 {
      switch order {
      case .limitFirst:
        form.perform(when: .idle, after: .seconds(300), within: .seconds(2_000), coalescedBy: "save") {
          log("\(number)")
        }
      case .keyFirst:
        let task = form.perform(when: .idle, after: .seconds(300), coalescedBy: "save") { log("\(number)") }
        task.within(.seconds(2_000))
      }
      RunLoop.current.advance(by: .seconds(100))
    }
    RunLoop.current.advance(by: .seconds(300))
    #expect((4...6).contains(log.events.count) && log.events.last == "100")
  }

  /// Of the limits of its own the latest counts.
  @Test(
    arguments: combinations(
      Form.allCases, Form.allCases, [[], [500], [5_000], [5_000, 500], [500, 1_000], [500, 5_000]]))
  func aReplacementInheritsTheLimitAndItsOwnOnlyBringsItForward(_ form: Form, _ other: Form, limits: [Int]) {
    form.perform(when: .idle, within: .seconds(2_000), coalescedBy: "key") { log("replaced") }
    let task = other.perform(when: .idle, after: .seconds(9_000), coalescedBy: "key") { log("replacement") }
    for limit in limits { task.within(.seconds(limit)) }
    let due = min(limits.last ?? 2_000, 2_000)
    RunLoop.current.advance(by: .seconds(due - 100))
    log("before the limit")
    RunLoop.current.advance(by: .seconds(200))
    #expect(log.events == ["before the limit", "replacement"])
  }

  /// The limit has passed, but the loop has not run in the mode.
  @Test(arguments: Form.allCases, [true, false])
  func aTaskThatReplacesAnOverdueOneIsOverdueInItsPlace(_ form: Form, isRead: Bool) {
    let modes = [RunLoop.Mode.custom]
    form.perform(when: .idle, within: .seconds(1_000), forModes: modes, coalescedBy: "key") { log("replaced") }
    RunLoop.current.perform { log("other") }.when(.currentLoopEnded).forModes(.custom)
    if isRead { RunLoop.current.advance(by: .seconds(2_000)) } else { keepBusy(for: .seconds(2_000)) }
    let task = form.perform(
      when: .idle, after: .seconds(3_000), within: .seconds(3_000), forModes: modes, coalescedBy: "key"
    ) { log("replacement") }
    if form.isOfOwnThread { #expect("\(task)".contains("within 0 seconds")) }
    logActivities(log, in: .custom)
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["entry", "replacement", "beforeWaiting", "other", "afterWaiting", "exit"])
  }

  enum Forgetting: CaseIterable { case run, cancel, cancelTask, cancelAll }

  @Test(arguments: combinations(Form.allCases, Forgetting.allCases, [true, false]))
  func aKeyThatIsForgottenForgetsItsLimit(_ form: Form, _ forgetting: Forgetting, onOwnThread: Bool) {
    let queue = RunLoop.current.taskQueue
    let task = form.perform(when: .currentLoopEnded, within: .seconds(1_000), coalescedBy: "key") {}
    if forgetting == .run { RunLoop.current.runPass() }
    call(onOwnThread: onOwnThread) {
      switch forgetting {
      case .run: break
      case .cancel: task.cancel()
      case .cancelTask: queue.cancelTask(coalescedBy: "key")
      case .cancelAll: queue.cancelAll()
      }
    }
    form.perform(when: .idle, after: .seconds(4_000), coalescedBy: "key") { log("next") }
    RunLoop.current.advance(by: .seconds(2_000))
    log("after the limit")
    RunLoop.current.advance(by: .seconds(2_000))
    #expect(log.events == ["after the limit", "next"])
  }
}

extension Form {
  fileprivate var isOfOwnThread: Bool { self != .otherThread }
}
