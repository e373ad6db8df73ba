import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// `RunLoop.runAllTasks()`. Misuse has tests of its own.
@Suite(.onOwnLoop) struct RunAllTasksTests {
  let log = Log()
  private var loop: RunLoop { .current }

  @Test func itRunsWhatIsInLineInItsOrderAndThenWhatWaitsByItsDates() {
    loop.perform(coalescedBy: "throttle", atMostEvery: .seconds(2_000)) {}
    loop.runPass()
    loop.perform(when: .idle, after: .seconds(3_000)) { log("delay of 3,000") }
    loop.perform(coalescedBy: "throttle", atMostEvery: .seconds(2_000)) { log("interval of 2,000") }
    loop.perform(after: .seconds(3_000), within: .seconds(1_000)) { log("limit of 1,000") }
    loop.perform(when: .idle, within: .seconds(9_000)) { log("idle") }
    loop.perform(forModes: [.custom, .other]) { log("other modes") }
    loop.perform(when: .currentLoopEnded, order: -1) { log("first") }
    loop.perform(when: .nextLoopBegan, forModes: [.common]) { log("common") }
    #expect(loop.runAllTasks() == 7)
    let inLine = ["first", "idle", "other modes", "common"]
    #expect(log.events == inLine + ["limit of 1,000", "interval of 2,000", "delay of 3,000"])
    #expect(loop.taskQueue.count == 0 && loop.runAllTasks() == 0)
    loop.advance(by: .seconds(9_000))
    #expect(log.events.count == 7)
  }

  /// A task that asks for itself again and again so leaves one.
  @Test func whatItsTasksScheduleHasOneMoreRound() {
    func save(_ number: Int) {
      loop.perform(when: .idle, after: .seconds(1), coalescedBy: 1) {
        log("\(number)")
        save(number + 1)
      }
    }
    save(1)
    #expect(loop.runAllTasks() == 2)
    #expect(log.events == ["1", "2"] && loop.taskQueue.count == 1)
  }

  /// The first task replaces another one, twice, before its turn.
  @Test(arguments: [true, false]) func whatReplacesOneOfThemRunsInTheNextRound(byAnotherThread: Bool) {
    let queue = loop.taskQueue
    loop.perform(when: .idle) {
      call(onOwnThread: !byAnotherThread) {
        for number in 1...2 { queue.perform(after: .seconds(9_000), coalescedBy: 1) { log("stead \(number)") } }
      }
      log("first")
    }
    loop.perform(after: .seconds(1), coalescedBy: 1) { log("replaced") }
    loop.perform(after: .seconds(2)) { log("last") }
    #expect(loop.runAllTasks() == 3)
    #expect(log.events == ["first", "last", "stead 2"] && queue.count == 0)
  }

  @Test func whatIsCancelledMeanwhileDoesNotRun() {
    let queue = loop.taskQueue
    let tasks = Box<[RunLoopTask]>([])
    loop.perform(when: .idle) {
      tasks.value[0].cancel()
      elsewhere { tasks.value[1].cancel() }
    }
    tasks.value = (1...3).map { number in queue.perform(after: .seconds(1)) { log("\(number)") } }
    #expect(loop.runAllTasks() == 2)
    #expect(log.events == ["3"])
    loop.perform(when: .idle) { queue.cancelAll() }
    loop.perform(when: .idle) { log("cancelled with all") }
    #expect(loop.runAllTasks() == 1 && log.events == ["3"])
  }

  @Test func insideATaskItLeavesThatOneInPlaceAndRunsTheOthersOnce() {
    loop.perform(when: .currentLoopEnded) {
      log("begins")
      #expect(loop.runAllTasks() == 2)
      log("ends")
    }
    loop.perform(when: .currentLoopEnded) { log("of the same batch") }
    loop.perform(after: .seconds(1)) {
      #expect(loop.runAllTasks() == 0)  // inside itself
      log("delayed")
    }
    loop.runPass()
    #expect(log.events == ["begins", "of the same batch", "delayed", "ends"])
  }

  @Test func itReadsWhatOtherThreadsHaveSent() {
    let queue = loop.taskQueue
    elsewhere { for number in 1...2 { queue.perform(after: .seconds(3 - number)) { log("\(number)") } } }
    #expect(loop.runAllTasks() == 2)
    #expect(log.events == ["2", "1"])
  }

  @Test func keysAreFreeAndIntervalsBegin() {
    loop.perform(coalescedBy: 1, atMostEvery: .seconds(3_000)) { log("1") }
    loop.runAllTasks()
    loop.perform(coalescedBy: 1, atMostEvery: .seconds(3_000)) { log("2") }
    #expect(!loop.runPass())
    loop.advance(by: .seconds(3_000))
    #expect(log.events == ["1", "2"])
  }

  // MARK: What others wait for

  @Test func whatAsyncCodeAwaitsIsLeft() async throws {
    let loop = LoopThread()
    let clock = loop.queue.clock
    let sleeper = Task { try await clock.sleep(for: .seconds(3_000)) }
    let caller = Task { [queue = loop.queue] in try await queue.run(when: .idle) { 7 } }
    await eventually { loop.queue.count == 2 }
    loop.perform {
      RunLoop.current.perform(when: .idle) { log("ran") }
      log("\(RunLoop.current.runAllTasks()) of \(RunLoop.current.taskQueue.count + 1)")
      RunLoop.current.advance(by: .seconds(3_000))
    }
    #expect(try await caller.value == 7)
    try await sleeper.value
    #expect(log.events == ["ran", "1 of 3"])
  }

  @Test func theBodyOfAThreadThatWaitsRuns() {
    let (queue, result) = (loop.taskQueue, Box(0))
    let waiter = JoinableThread { result.value = (try? queue.performAndWait(when: .idle) { 7 }) ?? -1 }
    waitUntil { queue.count == 1 && queue.debugDescription.contains("idle") }
    #expect(loop.runAllTasks() == 1)
    waiter.join()
    #expect(result.value == 7)
  }
}
