import Foundation
import RunLoopTasks
import Testing

/// Many jobs of a `RunLoopThread`, and jobs at its limits.
@Suite struct ManyJobsTests {
  @Test(arguments: [false, true]) func aHundredThousandJobsRunInOrder(isLate: Bool) async {
    let (actor, ran) = (await ThreadActor.make(isLate: isLate), Counter())
    let misplaced = await actor.enqueueJobs(100_000, ran)
    await eventually { ran.value == 100_000 }
    #expect(misplaced.value == 0)
  }

  @Test func aThreadThatIsStoppedAtOnceRunsItsJobs() async {
    for _ in 1...50 {
      let thread = RunLoopThread(name: "worker")
      thread.stop()
      let actor = ThreadActor(thread)
      await actor.add(1)
      #expect(await actor.numbers == [1])
    }
  }

  /// The jobs have the last references, and a task in the nested run of the first one releases its own.
  @Test func aRunNestedInAJobMayReleaseTheThread() async {
    let log = Log()
    let queue = {
      let thread = RunLoopThread(name: "worker")
      let reference = Box<RunLoopThread?>(thread)
      Task(executorPreference: thread) {
        releaseInNestedRun(reference)
        log("released")
      }
      Task(executorPreference: thread) { log("other job") }
      return thread.taskQueue
    }()
    await eventually { log.events == ["released", "other job"] }
    await eventually { queue.perform {}.state == .cancelled }
  }
}

private func releaseInNestedRun(_ reference: Box<RunLoopThread?>) {
  RunLoop.current.perform { reference.value = nil }.when(.nextLoopBegan)
  RunLoop.current.runUntilTasksFinish()
}

extension ThreadActor {
  /// Enqueues jobs, and returns the number of those that have not run in their place.
  fileprivate func enqueueJobs(_ count: Int, _ ran: Counter) -> Counter {
    let misplaced = Counter()
    for number in 1...count {
      Task {
        calls += 1
        if ran.count() != number { misplaced.count() }
      }
    }
    return misplaced
  }
}
