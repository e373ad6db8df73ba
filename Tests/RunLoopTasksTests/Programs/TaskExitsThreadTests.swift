#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// Tasks, sources and jobs that exit the thread of their loop.
  @Suite(.onOwnLoop) struct TaskExitsThreadTests {
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
  }

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
