import Foundation
import Testing

@testable import RunLoopTasks

/// What happens when the system refuses, or when a program does to a thread or to itself what it should not.
///
/// Most of it changes the process, and so is done in one of its own.
@Suite struct FaultTests {
  // MARK: no file descriptors left

  @Test func aLoopThatIsThereNeedsNoMore() async {
    await #expect(processExitsWith: .success) {
      endInTime()
      let thread = RunLoopThread(name: "a resident")
      thread.taskQueue.budget = .nanoseconds(1)  // so that each pass has a backlog, and wakes itself
      try useUpFileDescriptors()
      let log = Log()
      for number in 1...10 {
        for timing in RunLoopTask.Timing.allCases { thread.taskQueue.perform(when: timing) { log("\(number)") } }
      }
      for timing in RunLoopTask.Timing.allCases { try await thread.taskQueue.run(when: timing) {} }
      try #require(log.events.count == 30)
      thread.stop()
      await thread.ended()
    }
  }

  #if os(Linux)  // elsewhere loops are not made of file descriptors

    @Test func aThreadThatCannotMakeItsLoopEndsTheProcessAtOnce() async {
      let result = await #expect(processExitsWith: .failure) {
        endInTime()
        try useUpFileDescriptors()
        _ = RunLoopThread(name: "a resident")
      }
      #expect(result.map { $0.exitStatus != .signal(SIGALRM) } == true)
      let own = await #expect(processExitsWith: .failure) {
        endInTime()
        _ = RunLoop.main
        try useUpFileDescriptors()
        elsewhere { RunLoop.current.perform {}.when(.idle) }
      }
      #expect(own.map { $0.exitStatus != .signal(SIGALRM) } == true)
    }

    // MARK: no thread

    @Test func aThreadThatDoesNotStart() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try leaveMemory(1 << 28)
        RunLoopThread.patience.withValue(1) { _ = RunLoopThread(name: "a giant", stackSize: 1 << 30) }
      }
      let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(output.contains("Fatal error: RunLoopThread could not start a thread within a minute"))
    }

  #endif

  // MARK: a task that ends its thread

  @Test func aTaskMayEndItsThread() async {
    await #expect(processExitsWith: .success) {
      endInTime()
      for timing in RunLoopTask.Timing.allCases {
        for isNested in [false, true] {
          let (log, released) = (Log(), Counter())
          let left = Box<(queue: RunLoopTaskQueue, tasks: [RunLoopTask])?>(nil)
          let thread = JoinableThread {
            left.value = (RunLoop.current.taskQueue, leaveWork(log, Token { released.count() }))
            endThread(at: timing, isNested: isNested)
          }
          thread.join()
          try #require(log.events == ["source cancelled"])
          waitUntil { released.value == 1 }  // the thread that helped may still have it
          let (queue, tasks) = left.value!
          try #require(tasks.map(\.state) == [.cancelled, .cancelled, .cancelled])
          try #require(queue.count == 0)
          try #require(queue.perform {}.state == .cancelled)
        }
      }
    }
  }

  @Test func whoeverWaitsForATaskOfThatThreadIsTold() async {
    await #expect(processExitsWith: .success) {
      endInTime()
      let thread = RunLoopThread(name: "a resident")
      let waiting = Task { try await thread.taskQueue.run(forModes: [.custom]) {} }
      await eventually { thread.taskQueue.count == 1 }
      thread.taskQueue.perform { exitThread() }
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
  }

  /// Another loop that has the source goes on, though it has left the rest to that thread before.
  @Test func aSourceMayEndItsThread() async {
    await #expect(processExitsWith: .success) {
      endInTime()
      let (received, other) = (Box<[Int]>([]), LoopThread())
      let source = Box<RunLoopSource<Int>?>(nil)
      source.value = RunLoopSource { commands in
        received.add(commands)
        guard commands == [1] else { return }
        source.value!.send(2)
        other.perform { RunLoop.current.runPass() }
        exitThread()
      }
      other.perform { RunLoop.current.add(source.value!, forMode: .default) }
      let thread = JoinableThread {
        RunLoop.current.add(source.value!, forMode: .default)
        source.value!.send(1)
        run()
      }
      thread.join()
      other.perform { RunLoop.current.runPass() }
      try #require(received.value == [1, 2])
      other.end()
    }
  }

  @Test func aRunLoopThreadThatATaskEndsCanBeJoined() async {
    await #expect(processExitsWith: .success) {
      endInTime()
      for timing in RunLoopTask.Timing.allCases {
        for isNested in [false, true] {
          let thread = RunLoopThread(name: "a resident")
          let pending = thread.taskQueue.perform(forModes: [.other]) {}
          thread.taskQueue.perform { endThread(at: timing, isNested: isNested) }
          await thread.ended()
          try #require(pending.state == .cancelled)
          thread.stop()
          await thread.ended()
        }
      }
    }
  }

  @Test func itsActorsJobsStillRun() async {
    await #expect(processExitsWith: .success) {
      endInTime()
      let actor = Resident()
      let (hasBegun, mayEnd) = (Counter(), DispatchSemaphore(value: 0))
      actor.thread.taskQueue.perform {
        hasBegun.count()
        mayEnd.wait()
        exitThread()
      }
      await eventually { hasBegun.value == 1 }
      let jobs = (1...10).map { _ in Task { await actor.schedule() } }
      await eventually { actor.thread.core.pendingJobs == 10 }
      mayEnd.signal()
      var tasks: [RunLoopTask] = []
      for job in jobs { tasks.append(await job.value) }
      await actor.thread.ended()
      try #require(tasks.allSatisfy { $0.state == .cancelled })
    }
  }

  @Test func whatAJobEnqueuesThen() async {
    await #expect(processExitsWith: .success) {
      endInTime()
      let actor = Resident()
      let (hasBegun, mayEnd) = (Counter(), DispatchSemaphore(value: 0))
      actor.thread.taskQueue.perform {
        hasBegun.count()
        mayEnd.wait()
        exitThread()
      }
      await eventually { hasBegun.value == 1 }
      let job = Task { await actor.enqueueAnotherJob() }
      await eventually { actor.thread.core.pendingJobs == 1 }
      mayEnd.signal()
      await job.value
      await actor.thread.ended()
    }
  }

  private actor Resident {
    let thread = RunLoopThread(name: "a resident")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private var tasks: [RunLoopTask] = []

    private var work = 0

    func enqueueAnotherJob() { Task { work += 1 } }

    func schedule() -> RunLoopTask {
      tasks.append(currentLoop().perform {})
      return tasks.last!
    }
  }

  // MARK: fork

  @Test func aForkLosesNothing() async {
    await #expect(processExitsWith: .success) {
      endInTime()
      let loop = LoopThread(running: .default)
      let (ran, posted) = (Counter(), DispatchSemaphore(value: 0))
      let (threads, tasksEach) = (2, 5_000)
      for _ in 1...threads {
        Thread {
          for number in 0..<tasksEach {
            loop.queue.perform(when: RunLoopTask.Timing.allCases[number % 3]) { ran.count() }
          }
          posted.signal()
        }.start()
      }
      for _ in 1...20 { try forkProcess { _exit(0) } }
      for _ in 1...threads { posted.waitOrDie("a thread that posts") }
      waitUntil { ran.value == threads * tasksEach }
      loop.end()
    }
  }

  // MARK: signals

  @Test func aSignalDoesNotDisturbASleepingLoop() {
    var (action, old) = (sigaction(), sigaction())
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { _ in signals.count() }
    #else
      action.__sigaction_handler.sa_handler = { _ in signals.count() }
    #endif
    sigaction(SIGUSR1, &action, &old)  // without SA_RESTART: calls are interrupted
    defer { sigaction(SIGUSR1, &old, nil) }

    let (log, asleep, isDone) = (Log(), Locked<pthread_t?>(nil), DispatchSemaphore(value: 0))
    let ready = DispatchSemaphore(value: 0)
    let queue = Box<RunLoopTaskQueue?>(nil)
    Thread {
      unblockSignal()
      let keepAlive = ModeHolder()
      queue.value = RunLoop.current.taskQueue
      asleep.withLock { $0 = pthread_self() }
      observe([.afterWaiting, .exit]) { log($0.name) }
      observe(.beforeWaiting, order: Order.last) { _ in ready.signal() }
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)
      withExtendedLifetime(keepAlive) {}
      isDone.signal()
    }.start()
    ready.waitOrDie("the way to sleep")
    for _ in 1...500 {
      let before = signals.value
      pthread_kill(asleep.withLock { $0! }, SIGUSR1)
      waitUntil { signals.value > before }
    }
    #expect(log.events == [])
    queue.value!.perform {
      log("task")
      stopRun()
    }
    isDone.waitOrDie("the run")
    #expect(log.events == ["afterWaiting", "task", "exit"])
  }
}

/// `RunLoop.current`, which async code may not name.
private func currentLoop() -> RunLoop { .current }

/// The signals that came; what handles them can capture nothing.
private let signals = Counter()

/// A thread has what its parent blocked, and Dispatch's threads block all of them.
private func unblockSignal() {
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGUSR1)
  pthread_sigmask(SIG_UNBLOCK, &signals, nil)
}

/// Ends this process if it takes too long, whatever its threads are doing.
func endInTime() { alarm(300) }

/// Gives the current thread's loop work that it will not do, a source and an observer. All of it uses `token`.
private func leaveWork(_ log: Log, _ token: Token) -> [RunLoopTask] {
  let source = RunLoopSource<Int>(onCancel: { _ in log("source cancelled") }) { _ in token.use() }
  RunLoop.current.add(source, forMode: .default)
  let observer = RunLoop.current.observe(.exit, forModes: [.other]) { _ in token.use() }
  RunLoop.current.perform { withExtendedLifetime(observer) {} }.forModes(.other)
  let queue = RunLoop.current.taskQueue
  elsewhere { queue.perform(forModes: [.other]) { token.use() } }
  return RunLoopTask.Timing.allCases.map { timing in
    RunLoop.current.perform { token.use() }.when(timing).forModes(.other).coalesced(by: timing)
  }
}

/// Runs the current thread's loop, until a task of that timing ends the thread.
private func endThread(at timing: RunLoopTask.Timing, isNested: Bool) {
  RunLoop.current.perform {
    guard isNested else { return exitThread() }
    RunLoop.current.perform { exitThread() }.when(timing).forModes(.custom)
    run(.custom)
  }.when(timing)
  run()
}

func exitThread(_ exit: () -> Void = { Thread.exit() }) {
  // What the thread's stack says must not be taken for live. Usually the address sanitizer, if there is one, is told by the
  // compiler, but not of this.
  if let forgetStack = symbol("__asan_handle_no_return") {
    unsafeBitCast(forgetStack, to: (@convention(c) () -> Void).self)()
  }
  exit()
}

/// Calls `body`, which must not return, in a copy of this process, and waits for its end.
private func forkProcess(_ body: () -> Void) throws {
  // Swift does not offer it, and rightly so: in the child nearly nothing is allowed.
  let fork = unsafeBitCast(symbol("fork"), to: (@convention(c) () -> pid_t).self)
  let child = fork()
  if child == 0 { body() }
  var status: Int32 = -1
  while waitpid(child, &status, 0) < 0, errno == EINTR {}
  try #require(status == 0)
}

func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(dlopen(nil, RTLD_NOW), name) }

/// Opens as many files as the process may.
private func useUpFileDescriptors() throws {
  // Dispatch has timers of its own, and would end the process if it found no descriptors for its first one.
  let hasTimers = DispatchSemaphore(value: 0)
  DispatchQueue.global().asyncAfter(deadline: .now()) { hasTimers.signal() }
  hasTimers.waitOrDie("Dispatch")
  var limit = rlimit(rlim_cur: 256, rlim_max: 256)
  #if os(Linux)
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
  #else
    try #require(setrlimit(RLIMIT_NOFILE, &limit) == 0)
  #endif
  while dup(STDERR_FILENO) >= 0 {}
}

#if os(Linux)
  /// Lets the process have so many bytes of memory more, and no others.
  private func leaveMemory(_ bytes: UInt) throws {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[0]
    let limit = try #require(UInt(pages)) * UInt(getpagesize()) + bytes
    var memory = rlimit(rlim_cur: limit, rlim_max: limit)
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory) == 0)
  }
#endif
