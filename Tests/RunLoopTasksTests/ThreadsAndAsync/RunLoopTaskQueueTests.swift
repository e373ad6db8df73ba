import CoreFoundation
import Foundation
import Synchronization
import Testing

@testable import RunLoopTasks

/// Contract, section 4: scheduling from any thread, and the queue's identity and end.
@Suite struct RunLoopTaskQueueTests {
  /// Calls `body` with the queue of a loop that sleeps in `mode`.
  private func withSleepingLoop(_ mode: RunLoop.Mode = .default, _ body: (RunLoopTaskQueue) -> Void) {
    let loop = LoopThread(running: mode)
    waitUntil { loop.isSleeping }
    body(loop.queue)
    loop.end()
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func performWakesASleepingLoop(timing: RunLoopTask.Timing) {
    withSleepingLoop { queue in
      let ran = DispatchSemaphore(value: 0)
      queue.perform(when: timing) { ran.signal() }
      ran.waitOrDie("the task")
    }
  }

  /// Each post finds the loop at another point of its way to sleep.
  @Test(arguments: [RunLoop.Mode.default, .custom])
  func noPostIsLostOnTheWayToSleep(mode: RunLoop.Mode) {
    withSleepingLoop { queue in
      let done = DispatchSemaphore(value: 0)
      for number in 0..<10_000 {
        // In a mode that the loop does not run in, only the release shows that the mail was read.
        let task: RunLoopTask = {
          let token = Token { done.signal() }
          return queue.perform(when: .currentLoopEnded, forModes: [mode]) { token.use() }
        }()
        if mode == .custom { task.cancel() }
        for _ in 0..<number % 50 { sched_yield() }
        done.waitOrDie("post \(number)")
      }
    }
  }

  @Test(arguments: RunLoopTask.Timing.allCases)
  func performServesModesThatHadNoTasksBefore(timing: RunLoopTask.Timing) {
    withSleepingLoop(.custom) { queue in
      let ran = DispatchSemaphore(value: 0)
      queue.perform(when: timing, forModes: [.other, .custom]) { ran.signal() }
      ran.waitOrDie("the task")
    }
  }

  /// The loop is held on its way from sleep while others post: what they post then must not cost another wake-up each.
  @Test func aBurstWakesASleepingLoopOnce() {
    let wakeUps = onLoopThread {
      let queue = RunLoop.current.taskQueue
      let wakeUps = Counter()
      let keepAlive = ModeHolder()
      observe(.beforeWaiting, order: Order.last) { _ in
        guard wakeUps.value == 0 else { return }
        // From here on the loop counts as asleep: each wake-up is kept for it.
        elsewhere { for number in 1...1_000 { queue.perform { if number == 1_000 { stopRun() } } } }
      }
      observe(.afterWaiting) { _ in wakeUps.count() }
      run()
      withExtendedLifetime(keepAlive) {}
      return wakeUps.value
    }
    #expect(wakeUps == 1)
  }

  /// The wake-up for the first post is not heard, as the mode in which the loop sleeps is not observed.
  @Test(arguments: ["described", "cancelAll", "another mode"])
  func aPostIsHeardAfterOneThatWasNot(_ first: String) {
    withSleepingLoop(.custom) { queue in
      switch first {
      case "described": _ = queue.debugDescription
      case "cancelAll": queue.cancelAll()
      default: queue.perform {}
      }
      Thread.sleep(forTimeInterval: 0.01)  // most likely the loop sleeps again
      let ran = DispatchSemaphore(value: 0)
      queue.perform(forModes: [.custom]) { ran.signal() }
      ran.waitOrDie("the task")
    }
  }

  @Test func anAmendmentIsHeardAfterAPostThatWasNot() {
    withSleepingLoop(.custom) { queue in
      let ran = DispatchSemaphore(value: 0)
      let task = queue.perform { ran.signal() }
      Thread.sleep(forTimeInterval: 0.01)  // as above
      task.forModes(.custom)
      ran.waitOrDie("the task")
    }
  }

  @Test func tasksOfOneThreadKeepTheirOrder() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      RunLoop.current.perform { log("before") }.when(.currentLoopEnded)
      elsewhere { for number in 0..<100 { queue.perform(when: .currentLoopEnded) { log("\(number)") } } }
      RunLoop.current.perform { log("after") }.when(.currentLoopEnded)
      elsewhere { queue.perform(when: .currentLoopEnded) { log("posted") } }
      queue.perform(when: .currentLoopEnded) { log("last") }
      run()
    }
    #expect(events == ["before"] + (0..<100).map { "\($0)" } + ["after", "posted", "last"])
  }

  /// Whoever asks for the list makes the loop read its mail, but not out of turn.
  @Test func theyKeepItWhileOthersAskForTheList() {
    let loop = LoopThread(running: .default)
    let (numbers, isDone, described) = (Box<[Int]>([]), Box(false), DispatchSemaphore(value: 0))
    Thread {
      while !isDone.value { _ = loop.queue.debugDescription }
      described.signal()
    }.start()
    for number in 0..<5_000 { loop.queue.perform { numbers.add([number]) } }
    waitUntil { numbers.value.count == 5_000 }
    isDone.value = true
    described.waitOrDie("the other thread")
    #expect(numbers.value == Array(0..<5_000))
    loop.end()
  }

  @Test func aTaskFromAnotherThreadKeepsARunAlive() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      elsewhere { queue.perform(when: .idle, forModes: [.custom]) { log("task") } }
      #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
      #expect(RunLoop.current.run(mode: .custom, before: .distantFuture))
      #expect(!RunLoop.current.run(mode: .custom, before: .distantFuture))
    }
    #expect(events == ["task"])
  }

  @Test func defaultsAreTheNextPassAndTheDefaultMode() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      elsewhere { queue.perform { log("task") } }
      RunLoop.current.runPass(mode: .custom)
      logActivities(log)
      run()
    }
    #expect(events == ["entry", "beforeWaiting", "afterWaiting", "task", "exit"])
  }

  @Test func onItsOwnThreadAQueueSchedulesAsPerformDoes() {
    let events = eventsOnLoopThread { log in
      RunLoop.current.perform { log("1") }.when(.currentLoopEnded)
      RunLoop.current.taskQueue.perform(when: .currentLoopEnded, forModes: [.common]) { log("2") }
      RunLoop.current.perform { log("3") }.when(.currentLoopEnded)
      run()
    }
    #expect(events == ["1", "2", "3"])
  }

  @Test func amendmentsFromAnotherThreadTakeEffect() {
    let events = eventsOnLoopThread { log in
      let first = RunLoop.current.perform { log("first") }.when(.idle).forModes(.other)
      RunLoop.current.perform { log("second") }.when(.currentLoopEnded).forModes(.custom)
      elsewhere { first.when(.currentLoopEnded).forModes(.custom) }
      run(.custom)
    }
    #expect(events == ["first", "second"])
  }

  @Test func amendmentsOfSeveralThreadsTakeEffectInTheirOrder() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      let posted = Box<RunLoopTask?>(nil)
      elsewhere { posted.value = queue.perform(when: .idle, forModes: [.other]) { log("posted") } }
      posted.value!.when(.currentLoopEnded).forModes(.custom)
      let own = RunLoop.current.perform { log("own") }.when(.currentLoopEnded).forModes(.custom)
      elsewhere { own.when(.idle) }
      own.when(.currentLoopEnded)
      logActivities(log, in: .custom)
      RunLoop.current.runPass(mode: .custom)
    }
    #expect(events == ["entry", "beforeWaiting", "posted", "own", "afterWaiting", "exit"])
  }

  @Test(arguments: ["perform", "a queue", "amend", "cancelAll"])
  func whoeverReadsOfACancelledTaskReleasesIt(_ reader: String) {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      let other = RunLoop.current.perform {}.when(.idle)
      let task: RunLoopTask = {
        let token = Token { log("released") }
        return RunLoop.current.perform { token.use() }.when(.idle).forModes(.other)
      }()
      elsewhere { task.cancel() }
      switch reader {
      case "perform": log("\(RunLoop.current.perform({}, line: #line).state)")
      case "a queue": queue.perform {}
      case "amend": other.forModes(.custom)
      default: queue.cancelAll()
      }
      #expect(!Scheduler.current.pending.hasTasks(in: Scheduler.current.id(of: .other)))
      log("later")
    }
    #expect(events == ["released"] + (reader == "perform" ? ["pending"] : []) + ["later"])
  }

  @Test func cancellingFromAnotherThreadReleasesOnTheLoopsOwn() {
    let own = onLoopThread {
      let releasedOn = Box<ThreadID?>(nil)
      let task: RunLoopTask = {
        let token = Token { releasedOn.value = .current }
        return RunLoop.current.perform { token.use() }.when(.currentLoopEnded)
      }()
      elsewhere {
        #expect(task.cancel())
        #expect(!task.cancel())
        #expect(releasedOn.value == nil)
      }
      #expect(RunLoop.current.runUntilTasksFinish())
      return releasedOn.value == .current
    }
    #expect(own)
  }

  @Test func cancellingFromAnotherThreadWakesTheLoopToRelease() {
    withSleepingLoop { queue in
      let released = DispatchSemaphore(value: 0)
      let task: RunLoopTask = {
        let token = Token { released.signal() }
        return queue.perform(when: .currentLoopEnded, forModes: [.other]) { token.use() }
      }()
      _ = queue.debugDescription  // the loop has heard of the task, and not only of its end
      #expect(task.cancel())
      released.waitOrDie("the release")
    }
  }

  // MARK: identity

  @Test func aLoopHasOneQueue() {
    onLoopThread {
      #expect(RunLoop.current.taskQueue == RunLoop.current.taskQueue)
      #expect(Set([RunLoop.current.taskQueue, RunLoop.current.taskQueue, .main]).count == 2)
      #expect(RunLoop.main.taskQueue == .main)
    }
  }

  @Test func whoOnlySchedulesElsewhereGetsNoLoop() {
    let own = onLoopThread { RunLoop.current.taskQueue }
    elsewhere {
      for queue in [RunLoopTaskQueue.main, own] { queue.perform {}.cancel() }
      #expect(ThreadLocalScheduler.scheduler == nil)
      #expect(ThreadLocalScheduler.holds(own.scheduler) == false)  // remembered, because it costs much to find out
    }
  }

  @Test func whoMakesAModeOfAnotherLoopACommonOneGetsNoLoop() {
    let loop = LoopThread()
    loop.queue.perform(forModes: [.common]) {}
    elsewhere {
      loop.makeCommon(.custom)
      #expect(ThreadLocalScheduler.scheduler == nil)
    }
    loop.end()
  }

  // MARK: the end of a loop

  @Test func aLoopThatEndsCancelsAndReleasesOnItsThread() {
    let log = Log()
    let tasks: [RunLoopTask] = onLoopThread {
      let thread = ThreadID.current
      let queue = RunLoop.current.taskQueue
      var tasks: [RunLoopTask] = []
      for timing in RunLoopTask.Timing.allCases {
        let token = Token { log("released \(ThreadID.current == thread)") }
        tasks.append(RunLoop.current.perform { token.use() }.when(timing).forModes(.default, .custom))
      }
      let posted = Box<RunLoopTask?>(nil)
      let token = Token { log("posted released") }
      elsewhere { posted.value = queue.perform { token.use() } }
      return tasks + [posted.value!]
    }
    waitUntil { log.events.count == 4 }
    #expect(log.events.sorted() == ["posted released"] + Array(repeating: "released true", count: 3))
    waitUntil { tasks.allSatisfy { $0.state == .cancelled } }
  }

  @Test func aQueueOfALoopThatEndedReturnsCancelledTasks() {
    let released = Log()
    let queue = onLoopThread { RunLoop.current.taskQueue }
    waitUntil { queue.scheduler.attachment.withLock { $0.loop == nil } }
    let task: RunLoopTask = {
      let token = Token { released("released") }
      return queue.perform { token.use() }
    }()
    #expect(task.state == .cancelled)
    #expect(released.events == ["released"])
    #expect(!task.cancel())
    task.when(.idle).forModes(.custom).coalesced(by: 1)
  }

  @Test func schedulingWhileTheThreadEndsIsCancelledAtOnce() {
    let states = Box<[RunLoopTask.State]>([])
    onLoopThread {
      let token = Token {
        states.value = [
          RunLoop.current.perform {}.when(.idle).state, RunLoop.current.taskQueue.perform(when: .idle) {}.state,
        ]
      }
      RunLoop.current.perform { token.use() }.when(.idle)
    }
    waitUntil { !states.value.isEmpty }
    #expect(states.value == [.cancelled, .cancelled])
  }

  @Test func aThousandThreadsLeaveNothing() {
    let alive = Atomic(0)
    func round(_ threads: Int) {
      for _ in 0..<threads {
        onLoopThread {
          let token = Token { alive.subtract(1, ordering: .relaxed) }
          alive.add(1, ordering: .relaxed)
          for timing in RunLoopTask.Timing.allCases {
            RunLoop.current.perform { token.use() }.when(timing).forModes(.default, .custom)
            RunLoop.current.perform { token.use() }.when(timing).forModes(.common)
          }
          RunLoop.current.perform { token.use() }.when(.currentLoopEnded)
          RunLoop.current.runPass(mode: .other)
          poll()
        }
      }
      waitUntil { alive.load(ordering: .relaxed) == 0 }
    }
    round(50)
    let schedulers = Box<[WeakScheduler]>([])
    for _ in 0..<50 {
      onLoopThread {
        RunLoop.current.perform {}.when(.idle)
        schedulers.value.append(WeakScheduler(Scheduler.current))
      }
    }
    waitUntil { schedulers.value.allSatisfy { $0.scheduler == nil } }
    let before = openFileDescriptors()
    round(1_000)
    // Other tests open some of their own meanwhile; a thousand loops would be thousands on Linux. On Apple's platforms a loop
    // takes none, and the package must not either.
    if let before { waitUntil { openFileDescriptors()! < before + 500 } }
  }
}

struct WeakScheduler: Sendable {
  weak let scheduler: Scheduler?
  init(_ scheduler: Scheduler) { self.scheduler = scheduler }
}

/// Waits for something that another thread brings about, which nothing tells us of.
func waitUntil(_ condition: () -> Bool) {
  let start = DispatchTime.now()
  while !condition() {
    if DispatchTime.now() > start + watchdog { fatalError("watchdog: what was waited for did not happen") }
    Thread.sleep(forTimeInterval: 0.0001)
  }
}

/// The number of open file descriptors, where the system tells.
func openFileDescriptors() -> Int? {
  try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
}
