import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 5: `RunLoopThread`.
@Suite struct RunLoopThreadTests {
  /// An actor that lives on a thread.
  private actor Resident {
    let thread: RunLoopThread
    private(set) var numbers: [Int] = []

    init(_ thread: RunLoopThread) { self.thread = thread }

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private var questions = 0

    var currentThread: ThreadID {
      questions += 1  // a function that does nothing with its actor may run anywhere
      return .current
    }

    func add(_ number: Int) { numbers.append(number) }

    func hops() async -> Set<Bool> {
      var same: Set<Bool> = []
      let own = ThreadID.current
      for _ in 0..<10 {
        same.insert(ThreadID.current == own)
        await Task.yield()
        await elsewhereAsync()
      }
      return same
    }

    nonisolated private func elsewhereAsync() async {}

    /// Runs the loop for some passes.
    func runLoop(_ log: Log) {
      func pass(_ left: Int) {
        log("\(left)")
        if left == 0 { return stopRun() }
        RunLoop.current.perform { pass(left - 1) }.when(.nextLoopBegan)
      }
      pass(3)
      run()
      log("left")
    }

    func block(_ hasBegun: DispatchSemaphore, _ mayEnd: DispatchSemaphore) {
      hasBegun.signal()
      mayEnd.wait()
    }
  }

  private static func id(of thread: RunLoopThread) async throws -> ThreadID {
    try await thread.taskQueue.run { ThreadID.current }
  }

  @Test func itRunsItsLoopAndHasItsName() async throws {
    let thread = RunLoopThread(name: "a resident", qualityOfService: .utility, stackSize: 1 << 20)
    let (name, mode, stackSize, quality) = try await thread.taskQueue.run(when: .currentLoopEnded) {
      (Thread.current.name, RunLoop.current.currentMode, Thread.current.stackSize, Thread.current.qualityOfService)
    }
    #expect(quality == .utility)
    #expect(name == "a resident")
    #expect(mode == .default)
    #expect(stackSize == 1 << 20)
    thread.stop()
  }

  @Test func anyStackIsEnoughThatIsNotNothing() async throws {
    let thread = RunLoopThread(name: "a resident", stackSize: 1)
    try await thread.taskQueue.run {}
    thread.stop()
  }

  @Test func theLoopGoesOnAfterEachTask() async throws {
    let thread = RunLoopThread(name: "a resident")
    for timing in RunLoopTask.Timing.allCases {
      for _ in 1...10 { try await thread.taskQueue.run(when: timing) {} }
    }
    thread.stop()
  }

  @Test func aTimerOfTheThreadFires() async {
    let thread = RunLoopThread(name: "a resident")
    await withCheckedContinuation { continuation in
      thread.taskQueue.perform {
        RunLoop.current.add(
          Timer(fire: Date(), interval: 0, repeats: false) { _ in continuation.resume() }, forMode: .default)
      }
    }
    thread.stop()
  }

  // MARK: actors

  @Test func anActorSeesOneThread() async throws {
    let thread = RunLoopThread(name: "a resident")
    let actor = Resident(thread)
    let id = try await Self.id(of: thread)
    for _ in 1...10 {
      #expect(await actor.currentThread == id)
      await Task.yield()
    }
    #expect(await actor.hops() == [true])
    try await thread.taskQueue.run {
      actor.assumeIsolated { $0.preconditionIsolated() }
    }
    thread.stop()
  }

  @Test func anActorIsSafeFromManyTasks() async {
    let actor = Resident(RunLoopThread(name: "a resident"))
    await withTaskGroup { group in
      for number in 0..<1_000 { group.addTask { await actor.add(number) } }
    }
    #expect(await actor.numbers.sorted() == Array(0..<1_000))
  }

  @Test func cancelAllLeavesActorsAlone() async {
    let thread = RunLoopThread(name: "a resident")
    let actor = Resident(thread)
    await withTaskGroup { group in
      for number in 0..<1_000 {
        group.addTask { await actor.add(number) }
        thread.taskQueue.cancelAll()
      }
    }
    #expect(await actor.numbers.count == 1_000)
  }

  // MARK: the end

  @Test func stopEndsItAndCancelsWhatIsPending() async throws {
    let thread = RunLoopThread(name: "a resident")
    let never = thread.taskQueue.perform(forModes: [.custom]) {}
    thread.stop()
    thread.stop()
    join(thread)
    #expect(never.state == .cancelled)
    #expect(thread.taskQueue.count == 0)
    #expect(thread.taskQueue.perform {}.state == .cancelled)
    join(thread)  // as often as one likes
  }

  @Test func itsQueueKeepsNothingOfIt() {
    weak var core: RunLoopThread.Core?
    let queue = {
      let thread = RunLoopThread(name: "a resident")
      core = thread.core
      return thread.taskQueue
    }()
    waitUntil { core == nil }
    #expect(queue.perform {}.state == .cancelled)
  }

  @Test func thePassUnderWayIsFinished() {
    let thread = RunLoopThread(name: "a resident")
    let log = Log()
    thread.taskQueue.perform {
      thread.stop()
      RunLoop.current.perform { log("ended") }.when(.currentLoopEnded)
      RunLoop.current.perform { log("idle") }.when(.idle)  // when the run is left
      log("stopped")
    }
    join(thread)
    #expect(log.events == ["stopped", "ended", "idle"])
  }

  @Test func whatGoesWithTheThreadMayRunItsLoop() {
    let log = Log()
    func resident() -> RunLoopThread {
      let thread = RunLoopThread(name: "a resident")
      let token = Token {
        let timer = Timer(timeInterval: 0.005, repeats: false) { _ in
          log("timer")
          stopRun()
        }
        RunLoop.current.add(timer, forMode: .default)
        run()
      }
      thread.taskQueue.perform(forModes: [.other]) { token.use() }
      return thread
    }
    let thread = resident()
    thread.stop()
    join(thread)
    #expect(log.events == ["timer"])
  }

  @Test func aNestedRunIsNotCutShort() {
    let thread = RunLoopThread(name: "a resident")
    let log = Log()
    thread.taskQueue.perform {
      thread.stop()
      RunLoop.current.perform {
        RunLoop.current.perform {
          log("second pass of the nested run")
          stopRun()
        }.when(.nextLoopBegan)
      }.when(.nextLoopBegan)
      run()
      log("nested run left")
    }
    join(thread)
    #expect(log.events == ["second pass of the nested run", "nested run left"])
  }

  @Test func jobsThatWereEnqueuedBeforeTheStopStillRun() async throws {
    for _ in 1...50 {
      let thread = RunLoopThread(name: "a resident")
      let actor = Resident(thread)
      let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let blocking = Task { await actor.block(hasBegun, mayEnd) }
      await eventually { hasBegun.wait(timeout: .now()) == .success }
      let tasks = (1...10).map { number in Task { await actor.add(number) } }
      await eventually { thread.core.pendingJobs == 10 }
      thread.stop()
      mayEnd.signal()
      for task in [blocking] + tasks { await task.value }
      join(thread)
    }
  }

  /// The loop has ended, so what a late job schedules is cancelled, and running the loop returns.
  @Test func aLateJobMayRunTheLoop() async {
    let thread = RunLoopThread(name: "a resident")
    let (actor, log) = (Resident(thread), Log())
    let (hasBegun, mayEnd) = (Counter(), DispatchSemaphore(value: 0))
    thread.taskQueue.perform(when: .currentLoopEnded) {
      hasBegun.count()
      mayEnd.wait()
    }
    await eventually { hasBegun.value == 1 }
    let job = Task { await actor.runLoop(log) }
    await eventually { thread.core.pendingJobs == 1 }
    thread.stop()
    mayEnd.signal()
    await job.value
    join(thread)
    #expect(log.events == ["3", "left"])
  }

  enum Serving: CaseIterable { case normal, stopping, nesting }

  /// Whoever waits for the end of a run has its turn once sources were served, and only then.
  @Test(arguments: Serving.allCases) func itsRunIsLeftOnceSourcesWereServed(_ serving: Serving) {
    let thread = RunLoopThread(name: "a resident")
    let (log, isOnItsWay, isDone) = (Log(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let source = RunLoopSource<Int> { _ in
      log("{")
      if serving == .stopping { stopRun() }
      if serving == .nesting { poll() }
      log("}")
    }
    thread.taskQueue.perform {
      RunLoop.current.add(source, forMode: .default)
      observe([.entry, .exit]) { log($0.name) }
      observe(.beforeWaiting, order: Order.last) { _ in isOnItsWay.signal() }
      source.send(1)
    }
    // In its next run the thread is on its way to sleep.
    for _ in 0..<(serving == .stopping ? 1 : 2) { isOnItsWay.waitOrDie("the thread") }
    thread.taskQueue.perform(when: .idle) {
      log("end")
      isDone.signal()
    }
    isDone.waitOrDie("the last task")
    thread.stop()
    join(thread)
    let expected =
      switch serving {
      case .normal, .stopping: ["{", "}", "exit", "entry"]
      case .nesting: ["{", "entry", "exit", "}", "exit", "entry"]
      }
    #expect(log.events.prefix { $0 != "end" } == expected)
  }

  @Test func itStopsWhenNobodyRefersToIt() {
    let log = Log()
    let queue: RunLoopTaskQueue = {
      let thread = RunLoopThread(name: "a resident")
      return thread.taskQueue
    }()
    waitUntil { queue.perform {}.state == .cancelled }
    // The same if the last to refer to it is one of its own tasks.
    let own: RunLoopTaskQueue = {
      let thread = RunLoopThread(name: "a resident")
      thread.taskQueue.perform { withExtendedLifetime(thread) { log("ran") } }
      return thread.taskQueue
    }()
    waitUntil { own.perform {}.state == .cancelled }
    #expect(log.events.count <= 1)
  }

  @Test func aHundredThreadsStopWhileTasksArrive() {
    let (ran, released) = (Counter(), Counter())
    for _ in 1...100 {
      let thread = RunLoopThread(name: "a resident")
      let posted = DispatchSemaphore(value: 0)
      Thread {
        for number in 0..<100 {
          let token = Token { released.count() }
          thread.taskQueue.perform(when: RunLoopTask.Timing.allCases[number % 3]) {
            token.use()
            ran.count()
          }
        }
        posted.signal()
      }.start()
      thread.stop()
      join(thread)
      posted.waitOrDie("the poster")
    }
    waitUntil { released.value == 100 * 100 }
  }

  // MARK: under attack

  @Test func aStopIsHeardAfterAModeBecameCommonInANestedRun() {
    let thread = RunLoopThread(name: "a resident")
    let isLeft = DispatchSemaphore(value: 0)
    thread.taskQueue.perform {
      RunLoop.current.perform {
        CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), RunLoop.Mode.custom.cfMode)
        stopRun()
      }.when(.nextLoopBegan).forModes(.custom)
      run(.custom)
      isLeft.signal()
    }
    isLeft.waitOrDie("the nested run")
    thread.stop()
    join(thread)
  }

  /// A nested run of an observer that wants to be the very last consumes the wake-up.
  @Test func aStopIsHeardAfterTheNestedRunOfALastObserver() {
    let thread = RunLoopThread(name: "a resident")
    let (kept, once, isMade) = (Box<[Kept]>([]), Counter(), DispatchSemaphore(value: 0))
    thread.taskQueue.perform {
      let keepAlive = ModeHolder(.custom)
      let waker = RunLoop.current.observe(.afterWaiting, forModes: [.custom]) { _ in stopRun() }
      let nester = RunLoop.current.observe(.beforeWaiting, forModes: [.default], order: .max) { _ in
        guard once.count() == 1 else { return }
        observe(.beforeWaiting, in: .custom) { _ in elsewhere { thread.stop() } }
        run(.custom)
        withExtendedLifetime(keepAlive) {}
      }
      kept.value = [Kept(observer: waker), Kept(observer: nester)]
      isMade.signal()
    }
    isMade.waitOrDie("the observers")
    join(thread)
  }

  private struct Kept: @unchecked Sendable {
    // Unchecked: only kept here.
    let observer: RunLoopObserver
  }

  /// A source that always has something to do, and comes before the jobs.
  @Test func aBusySourceDoesNotStarveJobsAndTasks() async throws {
    let thread = RunLoopThread(name: "a resident")
    let actor = Resident(thread)
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource(order: -1) { _ in _ = source.value?.send(1) }
    try await thread.taskQueue.run {
      RunLoop.current.add(source.value!, forMode: .default)
      source.value!.send(1)
    }
    for number in 1...10 {
      await actor.add(number)
      for timing in RunLoopTask.Timing.allCases { try await thread.taskQueue.run(when: timing) {} }
    }
    #expect(await actor.numbers == Array(1...10))
    source.value?.invalidate()
    source.value = nil
    thread.stop()
  }

  /// What is there to do at the very end may ask which thread it is on.
  @Test func itHasItsNameUntilItHasEnded() {
    let thread = RunLoopThread(name: "a resident")
    let (log, isAdded) = (Log(), DispatchSemaphore(value: 0))
    let source = RunLoopSource<Int>(onCancel: { _ in log(Thread.current.name ?? "?") }, perform: { _ in })
    thread.taskQueue.perform {
      RunLoop.current.add(source, forMode: .default)
      isAdded.signal()
    }
    isAdded.waitOrDie("adding")
    thread.stop()
    join(thread)
    #expect(log.events == ["a resident"])
  }

  /// At its very end the thread is still the actor's.
  @Test func anActorIsAtHomeUntilTheThreadHasEnded() {
    let thread = RunLoopThread(name: "a resident")
    let (actor, log) = (Resident(thread), Log())
    let source = RunLoopSource<Int>(
      onCancel: { _ in actor.assumeIsolated { _ in log("at home") } }, perform: { _ in })
    let isAdded = DispatchSemaphore(value: 0)
    thread.taskQueue.perform {
      RunLoop.current.add(source, forMode: .default)
      isAdded.signal()
    }
    isAdded.waitOrDie("adding")
    thread.stop()
    join(thread)
    #expect(log.events == ["at home"])
  }

  @Test(arguments: ["exactly fifteen", "a name that is too long for Linux", "Größe der Öffnung"])
  func longNamesAreCut(name: String) async throws {
    let thread = RunLoopThread(name: name)
    let own = try await thread.taskQueue.run { Thread.current.name ?? "" }
    #expect(name.hasPrefix(own))
    #expect(own.utf8.count >= 13 && (own == name || name.utf8.count > 15))
    thread.stop()
  }
}

/// Waits for the end of a thread, and for not longer than the watchdog has patience.
private func join(_ thread: RunLoopThread) { elsewhere { thread.join() } }
