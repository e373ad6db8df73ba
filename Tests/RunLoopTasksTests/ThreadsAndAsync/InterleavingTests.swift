import Foundation
import Testing

// Internals put one thread between two steps of a call, where only an unlikely race would find it.
@testable import RunLoopTasks

/// What one thread does while another one is between two steps of a call.
@Suite(.onOwnLoop) struct InterleavingTests {
  let log = Log()
  let queue = RunLoop.current.taskQueue

  /// The loop reads its messages and ends between the two steps of `cancel()` on another thread.
  @Test func aTaskCancelledWhileItsLoopEndsIsReleased() {
    let loop = LoopThread()
    let task = loop.queue.perform(closure(whenReleased: { log("released") }))
    #expect(task.leavePending(for: .cancelled))
    loop.perform { RunLoop.current.runPass() }
    loop.end()
    waitUntil { log.events == ["released"] }
  }

  /// The same for a task that has long been taken in. The loop has ended when the second step comes.
  @Test func aPendingTaskCancelledWhileItsLoopEndsIsReleased() {
    let held = Box<[RunLoopTask]>([])
    onLoopThread {
      let task = RunLoop.current.perform(when: .idle, closure(whenReleased: { log("released") }))
      #expect(task.leavePending(for: .cancelled))
      held.add([task])
    }
    waitUntil { log.events == ["released"] }
  }

  /// The closures are not `Sendable`, as those of `MainActor.perform`, so the loop's thread must release that of the
  /// replaced task. It ends before it reads the message.
  @Test func aLoopThatEndsReleasesAReplacedTaskThatIsHeld() {
    let (released, held) = (Counter(), Box<[RunLoopTask]>([]))
    let queue = onLoopThread {
      let queue = RunLoop.current.taskQueue
      elsewhere {
        for _ in 1...2 {
          held.add([
            queue.scheduler.schedule(
              TaskPlan(call: Call("", #fileID, #line), key: TaskKey(1)), closure(whenReleased: { released.count() }))
          ])
        }
      }
      return queue
    }
    waitUntil { released.value == 2 }
    #expect(queue.count == 0 && held.value.allSatisfy { $0.state == .cancelled })
  }

  /// The lookup of the key calls `==`, in which another thread posts with the same key.
  @Test func runTaskRunsTheTaskThatItHasFound() {
    struct Key: Hashable {
      static let onEqual = Box<@Sendable () -> Void>({})
      static func == (_: Key, _: Key) -> Bool {
        onEqual.value()
        return true
      }
      func hash(into _: inout Hasher) {}
    }
    RunLoop.current.perform(when: .idle, coalescedBy: Key()) { log("ran") }
    Key.onEqual.value = {
      Key.onEqual.value = {}
      elsewhere { queue.perform(coalescedBy: Key()) { log("latest") } }
    }
    #expect(RunLoop.current.runTask(coalescedBy: Key()))
    #expect(log.events == ["ran"])
  }

  /// At any moment before the body of `run` is scheduled, and while it is. The loop does not run meanwhile.
  @Test func cancellingATaskThatSchedulesABodyCancelsTheBody() async {
    let loop = LoopThread()
    for round in 1...500 {
      let hasBegun = Box(false)
      let task = Task.detached {
        hasBegun.value = true
        try await loop.queue.run {}
      }
      await eventually { hasBegun.value }
      for _ in 0..<round { _ = loop.queue.count }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    loop.end()
  }

  /// Another thread schedules the first task of a mode at any moment of a run of the mode.
  @Test func noRunIsTakenToBeStillInProgress() {
    let rounds = 150
    let (mayPost, posted) = (DispatchSemaphore(value: 0), Counter())
    let mode = { @Sendable (number: Int) in RunLoop.Mode("mode \(number)") }
    Thread {
      for number in 1...rounds {
        mayPost.wait()
        for _ in 0..<number % 200 { _ = queue.count }  // any moment of the run
        queue.perform(forModes: [mode(number)]) {}
        posted.count()
      }
    }.start()
    for number in 1...rounds {
      keepAlive(mode(number))
      RunLoop.current.runUntilTasksFinish(mode: mode(number))
      mayPost.signal()
      while posted.value < number { poll(mode(number)) }
      poll(mode(number))
      #expect(Scheduler.current.runs.depth == 0)
      queue.cancelAll()
    }
  }
}
