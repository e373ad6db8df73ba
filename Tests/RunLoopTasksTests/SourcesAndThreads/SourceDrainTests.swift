import Foundation
import RunLoopTasks
import Testing

/// What the sources of a thread have accepted before `stop` is delivered.
@Suite(.onOwnLoop) struct SourceDrainTests {
  private let thread = RunLoopThread(name: "worker")
  private let log = Log()
  private var queue: RunLoopTaskQueue { thread.taskQueue }

  @Test func allCommandsAreDeliveredInTheirOrder() {
    let source = RunLoopSource<Int> { commands in for command in commands { log("\(command)") } }
    thread.stopAndJoin {
      queue.perform { RunLoop.current.add(source, forMode: .common) }
      for command in 0..<100 { source.send(command) }
    }
    #expect(log.events == (0..<100).map(String.init))
  }

  /// They are added and signalled in another order.
  @Test func sourcesAreDrainedByTheirOrder() {
    let sources = [3, 1, 5, 2, 4].map { order in RunLoopSource<Int>(order: order) { log("\(order): \($0)") } }
    for source in sources { thread.taskQueue.addAndWait(source) }
    thread.stop { for source in sources { source.send(7) } }
    join(thread)
    #expect(log.events == (1...5).map { "\($0): [7]" })
  }

  /// The tasks of a round run before its commands are delivered.
  @Test func whatCommandsSendAndScheduleIsDone() {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource { commands in
      log("commands \(commands)")
      RunLoop.current.perform { log("task of \(commands)") }.when(.idle)
      if commands[0] < 3 { log("\(source.value!.send(commands[0] + 1))") }
    }
    thread.taskQueue.addAndWait(source.value!)
    thread.stop { source.value?.send(1) }
    join(thread)
    #expect(
      log.events == [
        "commands [1]", "true", "task of [1]", "commands [2]", "true", "task of [2]", "commands [3]", "task of [3]",
      ])
    #expect(source.value?.isValid == false)
  }

  /// The save of the last batch is asked for when no further command comes.
  @Test func theSaveThatTheLastBatchAsksForIsMade() {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource { numbers in
      log("accepted \(numbers)")
      RunLoop.current.perform(after: .seconds(3_000), coalescedBy: "save") { log("saved") }
      if numbers == [1] { source.value!.send(2) }
    }
    thread.taskQueue.addAndWait(source.value!)
    thread.stop(runningDelayedTasks: true) { source.value!.send(1) }
    join(thread)
    #expect(log.events == ["accepted [1]", "saved", "accepted [2]", "saved"])
  }

  /// Each of four sources feeds the next one, and the last one asks for a save.
  @Test(arguments: [true, false]) func sourcesThatFeedEachOtherAreEmptied(isLastFirst: Bool) {
    var sources = [
      RunLoopSource<Int>(order: isLastFirst ? 0 : 10) { numbers in
        log("stored \(numbers)")
        RunLoop.current.perform(after: .seconds(3_000), coalescedBy: "save") { log("saved") }
      }
    ]
    for stage in 1...4 {
      let next = sources[stage - 1]
      sources.append(
        RunLoopSource<Int>(order: isLastFirst ? stage : 10 - stage) { for number in $0 { next.send(number + 1) } })
    }
    for source in sources { thread.taskQueue.addAndWait(source) }
    thread.stop(runningDelayedTasks: true) { [first = sources[4]] in first.send(0) }
    join(thread)
    #expect(log.events == ["stored [4]", "saved"])
  }

  /// The end comes all the same.
  @Test func aSourceThatAlwaysSendsToItselfHasAHundredRounds() {
    let (source, rounds) = (Box<RunLoopSource<Int>?>(nil), Counter())
    source.value = RunLoopSource { _ in
      rounds.count()
      source.value!.send(1)
    }
    thread.taskQueue.addAndWait(source.value!)
    thread.stop { source.value!.send(1) }
    join(thread)
    #expect((100...110).contains(rounds.value))  // some in the pass before the drain
  }

  // MARK: The door

  /// In the first round other threads may still send, and in the second one only the thread itself.
  @Test func theDoorClosesToOtherThreadsAfterTheFirstRound() {
    let source = loggedSource(log)
    thread.taskQueue.addAndWait(source)
    let (thread, queue, log) = (thread, queue, log)
    @Sendable func sendFromElsewhere(_ name: String) {
      elsewhere {
        log("\(name): \(source.send(1)), \(queue.perform { log("task from elsewhere") }.state)")
        let waited = Result { try queue.performAndWait {} }
        if case .failure(is CancellationError) = waited { log("\(name): no wait") }
      }
    }
    thread.stop {
      queue.perform {
        elsewhere { log("first round: \(source.send(1)), \(queue.perform { log("task from elsewhere") }.state)") }
        queue.perform {
          sendFromElsewhere("second round")
          log("own: \(source.isValid), \(source.send(2)), \(queue.perform { log("own task") }.state)")
        }
      }
    }
    join(thread)
    #expect(
      log.events == [
        "scheduled in default", "first round: true, pending", "[1]", "task from elsewhere",
        "second round: false, cancelled", "second round: no wait", "own: true, true, pending", "[2]", "own task",
        "cancelled in default",
      ])
  }

  /// What `onCancel` sends to a source that has its end before it would reach nobody.
  @Test func allSourcesAcceptNothingOnceTheFirstOneEnds() {
    let sources = Box<[RunLoopSource<Int>]>([])
    sources.value = (0...1).map { _ in
      RunLoopSource(onCancel: { _ in
        log("\(sources.value.map { $0.send(1) || $0.isValid })")
        RunLoop.current.perform { log("task") }.when(.idle)
      }) { _ in }
    }
    for source in sources.value { thread.taskQueue.addAndWait(source) }
    thread.stopAndJoin {}
    #expect(log.events == ["[false, false]", "[false, false]", "task", "task"])
    sources.value = []
  }

  // MARK: Jobs

  /// The actor's method was called before the end, and asks for a save.
  @Test func whatJobsAskForIsDone() {
    let source = RunLoopSource<Int> { numbers in
      log("accepted \(numbers)")
      RunLoop.current.perform(after: .seconds(3_000), coalescedBy: "save") { log("saved") }
    }
    thread.taskQueue.addAndWait(source)
    let actor = SendingActor(thread, source)
    thread.stop(runningDelayedTasks: true) { [thread] in Task(executorPreference: thread) { await actor.send() } }
    join(thread)
    #expect(log.events == ["accepted [1]", "saved"])
  }

  @Test func aSourceInOtherModesEndsWithoutADelivery() {
    let source = loggedSource(log)
    thread.taskQueue.addAndWait(source, forModes: [.custom])
    thread.stopAndJoin { source.send(1) }
    #expect(!source.isValid)
    #expect(log.events == ["scheduled in custom", "cancelled in custom"])
  }

  @Test(arguments: [true, false]) func aSourceThatIsTakenAwayInTheDrainDeliversNoMore(byInvalidation: Bool) {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource { commands in
      log("\(commands)")
      source.value?.send(4)
      if byInvalidation {
        source.value?.invalidate()
      } else {
        RunLoop.current.remove(source.value!, forMode: .default)
      }
    }
    thread.stopAndJoin {
      queue.perform { RunLoop.current.add(source.value!, forMode: .default) }
      for command in 1...3 { source.value?.send(command) }
    }
    #expect(log.events == ["[1, 2, 3]"])
    #expect(source.value?.isValid == !byInvalidation)
  }

  // MARK: Two threads

  /// The first one of the round takes the second one away.
  @Test func aSourceThatMovesToAnotherLoopInTheDrainDeliversThere() {
    let other = LoopThread()
    let moved = RunLoopSource<Int>(order: 1) { log("\($0) there: \(ThreadID.current == other.id)") }
    let first = RunLoopSource<Int> { _ in
      moved.send(1)
      RunLoop.current.remove(moved, forMode: .default)
      other.perform { RunLoop.current.add(moved, forMode: .default) }
    }
    for source in [first, moved] { thread.taskQueue.addAndWait(source) }
    thread.stop { first.send(1) }
    join(thread)
    #expect(moved.isValid)
    other.perform { RunLoop.current.runPass() }
    other.end()
    #expect(log.events == ["[1] there: true"])
  }

  /// It is just being drained there.
  @Test func aDrainLeavesTheEndOfAnotherThreadsSourceAlone() {
    let other = RunLoopThread(name: "other")
    let (isInDrain, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let moved = RunLoopSource<Int>(order: 1) {
      log("\($0)")
      isInDrain.signal()
      mayEnd.waitOrDie("the end of the first thread")
    }
    let first = RunLoopSource<Int> { _ in
      RunLoop.current.remove(moved, forMode: .default)
      other.taskQueue.addAndWait(moved)
      other.stop { moved.send(1) }
      isInDrain.waitOrDie("the batch")
    }
    for source in [first, moved] { thread.taskQueue.addAndWait(source) }
    thread.stop { first.send(1) }
    join(thread)
    #expect(moved.isValid && moved.send(2))
    for _ in 1...2 { mayEnd.signal() }
    join(other)
    #expect(!moved.isValid && !moved.send(3))
    #expect(log.events == ["[1]", "[2]"])
  }
}

private actor SendingActor {
  private let thread: RunLoopThread
  private let source: RunLoopSource<Int>
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  init(_ thread: RunLoopThread, _ source: RunLoopSource<Int>) { (self.thread, self.source) = (thread, source) }

  func send() { source.send(1) }
}
