#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// Tasks, sources and jobs that exit the thread of their loop.
  @Suite struct TaskExitsThreadTests {
    @Test func aTaskMayExitItsThread() async {
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
            waitUntil { released.value == 1 }  // The thread that helped to schedule may still hold it.
            let (queue, tasks) = left.value!
            try #require(tasks.map(\.state) == [.cancelled, .cancelled, .cancelled])
            try #require(queue.count == 0)
            try #require(queue.perform {}.state == .cancelled)
          }
        }
      }
    }

    /// One caller waits for a body that does not return, and another one for a body that does not begin.
    @Test func anAwaitedTaskMayExitARunLoopThread() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        for isNested in [false, true] {
          let thread = RunLoopThread(name: "worker")
          let waiting = Task { try await thread.taskQueue.run(forModes: [.other]) {} }
          await eventually { thread.taskQueue.count == 1 }
          await #expect(throws: CancellationError.self) {
            try await thread.taskQueue.run { endThread(at: .nextLoopBegan, isNested: isNested) }
          }
          await #expect(throws: CancellationError.self) { try await waiting.value }
          await thread.join()
          thread.stop()
          await thread.join()
        }
      }
    }

    /// The next loop delivers what is left.
    @Test(arguments: [false, true]) func aSourceMayExitItsThread(isRemoved: Bool) async {
      await #expect(processExitsWith: .success) { [isRemoved] in
        endInTime()
        let (received, other) = (Box<[Int]>([]), LoopThread())
        let source = Box<RunLoopSource<Int>?>(nil)
        source.value = RunLoopSource { commands in
          received.add(commands)
          guard commands == [0] else { return }
          source.value!.send(1)
          if isRemoved { RunLoop.current.remove(source.value!, forMode: .default) }
          exitThread()
        }
        let thread = JoinableThread {
          RunLoop.current.add(source.value!, forMode: .default)
          source.value!.send(0)
          run()
        }
        thread.join()
        other.perform {
          RunLoop.current.add(source.value!, forMode: .default)
          RunLoop.current.runPass()
        }
        try #require(received.value == [0, 1])
        other.end()
      }
    }

    @Test func aSourceWhoseOnScheduleExitsTheThreadStillLeavesItsMode() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        let log = Log()
        let source = RunLoopSource<Int>(onSchedule: { _ in exitThread() }, onCancel: { _ in log("cancelled") }) { _ in }
        JoinableThread { RunLoop.current.add(source, forMode: .default) }.join()
        try #require(log.events == ["cancelled"])
      }
    }

    @Test func jobsOfThatThreadStillRunAndMayEnqueueOthers() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        let (actor, ran, tasks) = (ThreadActor(), Counter(), Box<[RunLoopTask]>([]))
        actor.thread.taskQueue.perform {
          actor.assumeIsolated { actor in for _ in 1...10 { Task { tasks.add([actor.schedule(ran)]) } } }
          exitThread()
        }
        await actor.thread.join()
        await eventually { ran.value == 10 }
        try #require(tasks.value.count == 10 && tasks.value.allSatisfy { $0.state == .cancelled })
      }
    }

    /// Jobs before and behind those that exit the thread: of their batch, sent by a job of it, and sent later. The
    /// later exits come as the thread ends already. A sanitizer leaves the thread at the fourth exit.
    @Test(arguments: [(1, false, false), (1, true, false), (3, false, false), (2, false, true)])
    func jobsThatExitTheThreadLoseNoOtherJob(exits: Int, isNested: Bool, isLate: Bool) async {
      await #expect(processExitsWith: .success) { [exits, isNested, isLate] in
        endInTime()
        let (actor, log) = (await ThreadActor.make(isLate: isLate), Log())
        let joiner = Task.detached { await actor.thread.join() }
        await actor.enqueueJobsAndExit(log, exits: exits, isNested: isNested)
        await eventually { log.events.count == 10 * exits }
        try #require(log.events == (1...10 * exits).map { "job \($0)" })
        await actor.thread.join()
        await joiner.value
        join(actor.thread)
        try #require(actor.thread.taskQueue.perform {}.state == .cancelled)
        await actor.add(11)
        try #require(await actor.numbers == [11])
      }
    }
  }

  extension ThreadActor {
    /// Enqueues jobs, and in the middle of each ten of them one that exits the thread.
    fileprivate func enqueueJobsAndExit(_ log: Log, exits: Int, isNested: Bool) {
      for number in 0..<10 * exits {
        if number % 10 == 5 { Task { exit(isNested: isNested) } }
        Task {
          calls += 1
          log("job \(number + 1)")
        }
      }
    }

    private func exit(isNested: Bool) {
      calls += 1
      guard isNested else { return exitThread() }
      RunLoop.current.perform { exitThread() }.when(.nextLoopBegan)
      RunLoop.current.runUntilTasksFinish()
    }

    /// Enqueues another job, and schedules a task.
    fileprivate func schedule(_ ran: Counter) -> RunLoopTask {
      Task {
        calls += 1
        ran.count()
      }
      return currentLoop().perform {}
    }
  }

  /// Adds tasks that will not run, a source and an observer to the current thread's loop. All of them use `token`.
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

  /// Runs the current thread's loop until a task of the timing exits the thread.
  private func endThread(at timing: RunLoopTask.Timing, isNested: Bool) {
    RunLoop.current.perform {
      guard isNested else { return exitThread() }
      RunLoop.current.perform { exitThread() }.when(timing).forModes(.custom)
      run(.custom)
    }.when(timing)
    run()
  }
#endif
