import Foundation
import Testing

@testable import RunLoopTasks

/// The release of closures and keys that other threads have sent and the loop has not read.
@Suite(.onOwnLoop) struct MailboxReleaseTests {
  let log = Log()

  /// The canceller is another thread, or the loop's own, on which the task may be in the mailbox as well.
  @Test(arguments: [true, false]) func aTaskThatIsCancelledAndReplacedAtTheSameTimeIsReleasedOnce(onLoopThread: Bool) {
    let (made, released, isOver) = (Counter(), Counter(), Box(false))
    let latest = Box<RunLoopTask?>(nil)
    let (loop, canceller) = (LoopThread(), LoopThread())
    let isDone = DispatchSemaphore(value: 0)
    Thread {
      (onLoopThread ? loop : canceller).perform {
        while !isOver.value {
          latest.value?.cancel()
          if onLoopThread { RunLoop.current.runPass() }
        }
      }
      isDone.signal()
    }.start()
    for _ in 1...10_000 {
      made.count()
      let token = Token { released.count() }
      latest.value = loop.queue.perform(coalescedBy: 1) { token.use() }
    }
    isOver.value = true
    isDone.waitOrDie("the canceller")
    latest.value = nil
    loop.perform { RunLoop.current.runUntilTasksFinish() }
    loop.end()
    canceller.end()
    #expect(made.value == released.value)
  }

  @Test func aKeyThatIsChangedUnreadMaySchedule() {
    let queue = RunLoop.current.taskQueue
    elsewhere {
      func scheduled() -> RunLoopTask {
        queue.perform(coalescedBy: NumberedKey(1) { queue.perform { log("from the key") } }) { log("task") }
      }
      scheduled().coalesced(by: NumberedKey(2))
    }
    RunLoop.current.runUntilTasksFinish()
    #expect(log.events.sorted() == ["from the key", "task"])
  }

  @Test func theKeyOfAReplacedTaskIsReleasedAlthoughTheTaskIsHeld() {
    let released = Counter()
    let queue = RunLoop.current.taskQueue
    let held = Box<RunLoopTask?>(nil)
    elsewhere {
      func schedule() { held.value = queue.perform(coalescedBy: NumberedKey(1) { released.count() }) {} }
      schedule()
      queue.perform(coalescedBy: NumberedKey(1)) {}
    }
    RunLoop.current.runUntilTasksFinish()
    #expect(released.value == 1)
    #expect(held.value?.state == .cancelled)
  }

  @Test func anEndedLoopKeepsNoKey() {
    let released = Counter()
    let queue = endedQueue()
    func scheduled() -> RunLoopTask { queue.perform(coalescedBy: NumberedKey(1) { released.count() }) {} }
    let held = scheduled()
    #expect(held.state == .cancelled && released.value == 1)
  }

  /// The closure of the replaced task must be released on the loop's thread, which ends before it reads the message.
  @Test func aLoopThatEndsReleasesAReplacedTaskThatIsHeld() {
    let released = Counter()
    let held = Box<[RunLoopTask]>([])
    let queue = onLoopThread {
      let queue = RunLoop.current.taskQueue
      elsewhere {
        func schedule() {
          let token = Token { released.count() }
          let plan = TaskPlan(key: TaskKey(1, atMostEvery: .zero))
          held.add([queue.schedule(plan, isSendable: false, fileID: #fileID, line: #line) { token.use() }])
        }
        for _ in 1...2 { schedule() }
      }
      return queue
    }
    waitUntil { released.value == 2 }
    #expect(queue.count == 0 && held.value.allSatisfy { $0.state == .cancelled })
  }
}
