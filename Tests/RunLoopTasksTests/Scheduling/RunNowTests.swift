import Foundation
import RunLoopTasks
import Testing

/// `RunLoopTask.runNow()` on the loop's own thread. Misuse has tests of its own.
@Suite(.onOwnLoop) struct RunNowTests {
  let log = Log()

  enum Options: CaseIterable { case none, delay, limit, order, otherMode, severalModes, key, idle }

  @Test(arguments: Options.allCases) func aPendingTaskRunsAtOnceAndNeverAgain(_ options: Options) {
    let task = RunLoop.current.perform(
      when: options == .idle ? .idle : .nextLoopBegan, after: options == .delay ? .seconds(3_000) : .zero,
      within: options == .limit ? .seconds(3_000) : nil, order: options == .order ? 1 : 0,
      forModes: options == .otherMode ? [.custom] : options == .severalModes ? [.custom, .default] : [.default],
      coalescedBy: options == .key ? 1 : nil
    ) { log("ran") }
    #expect(task.runNow())
    #expect(task.state == .finished)
    #expect(RunLoop.current.taskQueue.count == 0)
    #expect(!task.runNow())
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

  // MARK: keys

  @Test func theKeyIsFreeOnceTheClosureBegins() {
    let task = RunLoop.current.perform(when: .idle, coalescedBy: 1) {
      RunLoop.current.perform { log("second") }.when(.idle).coalesced(by: 1)
      log("first")
    }
    #expect(task.runNow())
    RunLoop.current.runPass()
    #expect(log.events == ["first", "second"])
  }

  @Test func theIntervalOfAThrottleBeginsWithTheCall() {
    let loop = RunLoop.current
    atOneMoment {
      loop.perform { log("first") }.coalesced(by: 1, atMostEvery: .seconds(10))
      loop.runPass()
      let second = loop.perform { log("second") }.coalesced(by: 1, atMostEvery: .seconds(10))
      loop.advance(by: .seconds(5))
      second.runNow()
      loop.perform { log("third") }.coalesced(by: 1, atMostEvery: .seconds(10))
      loop.advance(by: .seconds(9))
      log("nine seconds later")
      loop.advance(by: .seconds(1))
    }
    #expect(log.events == ["first", "second", "nine seconds later", "third"])
  }

  // MARK: batches and runs

  /// The second task of a batch runs the fourth and the first of the next batch.
  @Test func aTaskOfABatchMayRunAnotherOne() {
    let tasks = Box<[RunLoopTask]>([])
    tasks.add(
      (1...5).map { number in
        RunLoop.current.perform {
          log("\(number) {")
          if number == 2 {
            let next = RunLoop.current.perform { log("next") }.when(.currentLoopEnded)
            #expect(tasks.value[3].runNow() && next.runNow() && !tasks.value[0].runNow())
          }
          log("}")
        }.when(.currentLoopEnded)
      })
    RunLoop.current.runPass()
    let expected = "1 { } 2 { 4 { } next } 3 { } 5 { }"
    #expect(log.events.joined(separator: " ") == expected)
  }

  @Test func theTaskMayRunTheLoopNested() {
    RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
    let task = RunLoop.current.perform {
      RunLoop.current.runPass()
      log("returned")
    }.when(.idle)
    RunLoop.current.perform { task.runNow() }.when(.currentLoopEnded).order(-1)
    RunLoop.current.runPass()
    #expect(log.events == ["ended", "returned"])
  }

  /// The observer comes after the last check, which has let the loop sleep until the delay ends.
  @Test(arguments: [[RunLoop.Mode.default], [.common], [.default, .custom]])
  func theRunReturnsOnceItsLastTaskHasRun(modes: [RunLoop.Mode]) {
    let task = RunLoop.current.perform { log("ran") }.after(.seconds(3_000)).forModes(modes)
    observe(.beforeWaiting, order: Order.last) { _ in task.runNow() }
    run()
    #expect(log.events == ["ran"])
  }

  // MARK: other threads

  @Test func aTaskThatAnotherThreadHasSentRunsBeforeTheLoopLooks() {
    let queue = RunLoop.current.taskQueue
    let task = onLoopThread { queue.perform(when: .idle, after: .seconds(3_000)) { log("ran") }.coalesced(by: 1) }
    #expect(task.runNow())
    #expect(!RunLoop.current.runPass())
    #expect(log.events == ["ran"])
  }

  @Test func whatAnotherThreadHasCancelledDoesNotRunAndIsReleased() {
    let queue = RunLoop.current.taskQueue
    let tasks = (1...2).map { number in
      RunLoop.current.perform(when: .idle, closure(whenReleased: { log("released \(number)") }))
    }
    elsewhere { tasks[0].cancel() }
    #expect(!tasks[0].runNow())
    elsewhere { queue.cancelAll() }
    #expect(!tasks[1].runNow())
    #expect(log.events == ["released 1", "released 2"])
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
    let task = thread.taskQueue.perform(after: .seconds(3_000)) { log("ran") }
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
    #expect(!task.runNow())
    #expect(!(RunLoop.current.perform {}.when(.idle)).runNow())
  }
}
