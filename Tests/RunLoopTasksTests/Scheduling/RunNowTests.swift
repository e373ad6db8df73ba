import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// `RunLoopTask.runNow()`, and `RunLoop.runTask(coalescedBy:)`, which is the same by key. Misuse has tests of its own.
@Suite(.onOwnLoop) struct RunNowTests {
  let log = Log()

  enum Way: CaseIterable { case task, key }

  /// Runs a task now. If it is found by its key, that is 1.
  private func runNow(_ task: RunLoopTask, by way: Way) -> Bool {
    way == .task ? task.runNow() : RunLoop.current.runTask(coalescedBy: 1)
  }

  enum Options: CaseIterable { case none, delay, limit, order, otherMode, severalModes, idle }

  @Test(arguments: Options.allCases, Way.allCases)
  func aPendingTaskRunsAtOnceAndNeverAgain(_ options: Options, by way: Way) {
    let task = RunLoop.current.perform(
      when: options == .idle ? .idle : .nextLoopBegan, after: options == .delay ? .seconds(3_000) : .zero,
      within: options == .limit ? .seconds(3_000) : nil, order: options == .order ? 1 : 0,
      forModes: options == .otherMode ? [.custom] : options == .severalModes ? [.custom, .default] : [.default],
      coalescedBy: way == .key ? 1 : nil
    ) { log("ran") }
    #expect(runNow(task, by: way))
    #expect(task.state == .finished)
    #expect(RunLoop.current.taskQueue.count == 0)
    #expect(!runNow(task, by: way))
    RunLoop.current.advance(by: .seconds(4_000))
    RunLoop.current.runPass(mode: .custom)
    #expect(log.events == ["ran"])
  }

  @Test func aTaskThatIsNotPendingDoesNotRun() {
    var running: RunLoopTask?
    running = RunLoop.current.perform(when: .idle) { log("running: \(running!.runNow())") }
    #expect(running!.runNow())
    let cancelled = RunLoop.current.perform { log("cancelled") }.when(.idle)
    cancelled.cancel()
    let replaced = RunLoop.current.perform { log("replaced") }.coalesced(by: 1)
    let latest = RunLoop.current.perform { log("latest") }.coalesced(by: 1)
    #expect(!cancelled.runNow() && !replaced.runNow() && latest.runNow())
    #expect(log.events == ["running: false", "latest"])
  }

  @Test func closureAndKeyAreReleasedAlthoughTheTaskIsHeld() {
    let task = RunLoop.current.perform(
      when: .idle, coalescedBy: NumberedKey(1) { log("key") }, closure(whenReleased: { log("closure") }))
    task.runNow()
    log("\(task.state)")
    #expect(log.events == ["closure", "key", "finished"])
  }

  @Test func anIdleTaskWaitsForAPassInWhichNoTaskWasRunByHand() {
    let task = RunLoop.current.perform { log("now") }.when(.currentLoopEnded)
    observe(.ofPass) { activity in
      log("\(activity)")
      if activity == .beforeWaiting { task.runNow() }
    }
    RunLoop.current.perform { log("idle") }.when(.idle)
    RunLoop.current.runPass()
    #expect(log.events == ["entry", "beforeWaiting", "now", "afterWaiting", "exit", "idle"])
  }

  // MARK: keys

  @Test(arguments: Way.allCases) func theKeyIsFreeOnceTheClosureBegins(by way: Way) {
    let task = RunLoop.current.perform(when: .idle, coalescedBy: 1) {
      log("first: \(RunLoop.current.runTask(coalescedBy: 1))")
      RunLoop.current.perform { log("second") }.when(.idle).coalesced(by: 1)
    }
    #expect(runNow(task, by: way))
    RunLoop.current.runPass()
    #expect(log.events == ["first: false", "second"])
  }

  @Test func withoutATaskWithTheKeyNothingRuns() {
    RunLoop.current.perform { log("no key") }.when(.idle)
    RunLoop.current.perform { log("other type") }.when(.idle).coalesced(by: UInt8(1))
    RunLoop.current.perform { log("cancelled") }.when(.idle).coalesced(by: 2).cancel()
    #expect(!RunLoop.current.runTask(coalescedBy: 1) && !RunLoop.current.runTask(coalescedBy: 2))
    #expect(log.events == [])
  }

  @Test func theKeyNeedNotBeSendable() {
    final class Owner {}
    struct Key: Hashable {
      let owner: Owner
      static func == (one: Key, other: Key) -> Bool { one.owner === other.owner }
      func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(owner)) }
    }
    let key = Key(owner: Owner())
    for number in 1...2 { RunLoop.current.perform(when: .idle, coalescedBy: key) { log("\(number)") } }
    #expect(!RunLoop.current.runTask(coalescedBy: Key(owner: Owner())))
    #expect(RunLoop.current.runTask(coalescedBy: key))
    #expect(log.events == ["2"])
  }

  // MARK: other threads

  @Test(arguments: Way.allCases) func aTaskThatAnotherThreadHasSentRunsBeforeTheLoopLooks(by way: Way) {
    let queue = RunLoop.current.taskQueue
    let task = onLoopThread { queue.perform(when: .idle, after: .seconds(3_000), coalescedBy: 1) { log("ran") } }
    #expect(runNow(task, by: way))
    #expect(!RunLoop.current.runPass())
    #expect(log.events == ["ran"])
  }

  @Test(arguments: Way.allCases) func whatAnotherThreadHasCancelledDoesNotRunAndIsReleased(by way: Way) {
    let queue = RunLoop.current.taskQueue
    let cancellations: [@Sendable (RunLoopTask) -> Void] = [
      { $0.cancel() }, { _ in queue.cancelAll() }, { _ in queue.cancelTask(coalescedBy: 1) },
    ]
    for (number, cancel) in cancellations.enumerated() {
      let task = RunLoop.current.perform(
        when: .idle, coalescedBy: 1, closure(whenReleased: { log("released \(number)") }))
      elsewhere { cancel(task) }
      #expect(!runNow(task, by: way))
    }
    #expect(log.events == ["released 0", "released 1", "released 2"])
  }

  @Test func oneOfTwoThreadsRunsOrCancelsATask() {
    for _ in 1...500 {
      let (ran, task) = (Counter(), Box<RunLoopTask?>(nil))
      task.value = RunLoop.current.taskQueue.perform(when: .idle) { ran.count() }
      let cancelled = Counter()
      let other = JoinableThread { if task.value!.cancel() { cancelled.count() } }
      let hasRun = task.value!.runNow()
      other.join()
      #expect(ran.value + cancelled.value == 1 && hasRun == (ran.value == 1))
    }
  }

  /// Whoever asks, whether on the thread that had the loop or elsewhere.
  @Test func aTaskOfALoopThatHasEndedDoesNotRun() async {
    let thread = RunLoopThread(name: "worker")
    let actor = ThreadActor(thread)
    let task = thread.taskQueue.perform(after: .seconds(3_000), coalescedBy: 1) { log("ran") }
    thread.stop()
    await thread.join()
    #expect(!task.runNow())
    await actor.runLate(task)
    #expect(log.events == [])
  }
}

extension ThreadActor {
  fileprivate func runLate(_ task: RunLoopTask) {
    calls += 1
    #expect(!task.runNow() && !RunLoop.current.runTask(coalescedBy: 1))
    let late = RunLoop.current.perform { Issue.record("a late task has run") }.when(.idle)
    #expect(late.state == .cancelled && !late.runNow() && !RunLoop.current.runPass())
    for mode in [RunLoop.Mode.default, .custom] {
      #expect(RunLoop.current.runUntilTasksFinish(mode: mode, timeout: .zero))
      #expect(!RunLoop.current.runUntil(mode: mode, timeout: .zero) { false })
    }
  }
}
