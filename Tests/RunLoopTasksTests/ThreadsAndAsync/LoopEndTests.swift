import Foundation
import Synchronization
import Testing

@testable import RunLoopTasks

/// The tasks of a loop that ends.
@Suite(.onOwnLoop) struct LoopEndTests {
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
    let queue = endedQueue()
    let task: RunLoopTask = {
      let token = Token { released("released") }
      return queue.perform { token.use() }
    }()
    #expect(task.state == .cancelled)
    #expect(released.events == ["released"])
    #expect(!task.cancel())
    task.when(.idle).forModes(.custom).coalesced(by: 1)
  }

  @Test func aTaskScheduledAsTheThreadEndsIsCancelledAtOnce() {
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

  /// The system releases the data of a thread in rounds until none is left.
  @Test func aTaskScheduledInTheLastRoundOfAThreadsEndIsCancelled() {
    JoinableThread {
      RunLoop.current.perform {}.when(.idle)
      pthread_setspecific(lateKey, UnsafeMutableRawPointer(bitPattern: 1))
    }.join()
    #expect(lateState.value == .cancelled)
  }

  /// The loop reads its messages and ends between the two steps of `cancel()` on another thread.
  @Test func aTaskCancelledWhileItsLoopEndsIsReleased() {
    let log = Log()
    let loop = LoopThread()
    let task: RunLoopTask = {
      let token = Token { log("released") }
      return loop.queue.perform { token.use() }
    }()
    #expect(task.leavePending(for: .cancelled, onLoopThread: true))
    loop.perform { RunLoop.current.runPass() }
    loop.end()
    waitUntil { log.events == ["released"] }
  }

  @Test func aThousandThreadsLeaveNothingBehind() {
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
    // Other tests open files at the same time. On Linux a thousand leaked loops would hold thousands of descriptors. On
    // Apple's platforms a loop holds none, and the package must not open any.
    if let before { waitUntil { openFileDescriptors()! < before + 500 } }
  }
}

/// The number of open file descriptors; `nil` if it is unknown.
private func openFileDescriptors() -> Int? {
  try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
}

/// The key of data whose destructor sets the data again in the first round, and advances the clock and schedules a
/// task in the second.
private let lateKey: pthread_key_t = {
  var key = pthread_key_t()
  let destructor: ThreadDestructor = { round in
    if Int(bitPattern: round) == 1 {
      pthread_setspecific(lateKey, UnsafeMutableRawPointer(bitPattern: 2))
    } else {
      RunLoop.current.advance(by: .seconds(1), mode: .custom)
      lateState.value = RunLoop.current.perform {}.state
    }
  }
  pthread_key_create(&key, destructor)
  return key
}()

private let lateState = Box<RunLoopTask.State?>(nil)
