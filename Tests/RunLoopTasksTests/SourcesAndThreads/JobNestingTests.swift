import Foundation
import RunLoopTasks
import Testing

/// Jobs of a `RunLoopThread` that run the loop nested. No job runs inside another job.
@Suite(.onOwnLoop) struct JobNestingTests {
  private let actor = ThreadActor()
  private let log = Log()

  /// While a job runs the loop, the actor's other jobs are waiting.
  @Test func aRunNestedInAJobServesAllButJobs() async {
    await actor.runNested(log, jobs: 3) {
      let loop = RunLoop.current
      loop.perform { log("task") }.when(.currentLoopEnded)
      addTimer { log("timer") }
      addSource { _, _ in log("source") }.send(0)
      loop.runUntil { log.events.count >= 4 }
    }
    #expect(log.events.prefix { $0 != "}" }.sorted() == ["source", "task", "timer", "{"])
    #expect(log.events.drop { $0 != "}" } == ["}", "job 1", "job 2", "job 3"])
  }

  /// Jobs come before each sleep of the nested run. Only the task wakes it.
  @Test func waitingJobsWakeNoNestedRun() async {
    let iterations = Counter()
    let jobs = Box<[Task<Void, Never>]>([])
    jobs.add(
      await actor.nest(log, jobs: 1) {
        let observer = RunLoop.current.observe([.beforeTimers, .beforeWaiting]) { activity in
          if activity == .beforeTimers { return _ = iterations.count() }
          if iterations.value < 100 { actor.assumeIsolated { jobs.add($0.enqueueJobs(log, 1)) } }
        }
        RunLoop.current.perform { log("task") }.when(.nextLoopBegan).after(.milliseconds(20))
        RunLoop.current.runUntil { log.events.contains("task") }
        observer.invalidate()
      })
    for job in jobs.value { await job.value }
    #expect(log.events.prefix(3) == ["{", "task", "}"])
    #expect(iterations.value <= 5)
    #expect(log.events.count == 3 + jobs.value.count)
  }

  /// Each job enqueues the next one. Another source is always signalled, so the run neither sleeps nor ends.
  @Test func theNextIterationPerformsTheJobsThatComeInAJob() async throws {
    try await actor.thread.taskQueue.run {
      var (source, iterations) = (Source?.none, 0)
      source = Source {
        iterations += 1
        if log.events.count < 3, iterations < 100 { source?.signal() } else { stopRun() }
      }
      source?.signal()
      actor.assumeIsolated { $0.enqueueChain(log, 3) }
      run()
      log("\(iterations < 10)")
      source = nil
    }
    #expect(log.events == ["job 3", "job 2", "job 1", "true"])
  }

  /// The job comes as the loop is about to sleep, and a run nested there in another mode uses up the wake-up.
  @Test func noNestedRunUsesUpTheWakeUpForAJob() async throws {
    try await actor.thread.taskQueue.run {
      observeOnce(.beforeWaiting, order: Order.frame) {
        _ = actor.assumeIsolated { $0.enqueueJobs(log, 1) }
        let keepAlive = ModeHolder(.custom)
        observe(.afterWaiting, in: .custom) { _ in stopRun() }
        run(.custom)
        withExtendedLifetime(keepAlive) { log("nested run ended") }
      }
    }
    await eventually { log.events == ["nested run ended", "job 1"] }
  }

  @Test func stopWaitsForTheJobAndTheJobsThatWaitForIt() async {
    await actor.runNested(log, jobs: 3) {
      actor.thread.stop()
      RunLoop.current.perform { log("task") }.when(.nextLoopBegan)
      RunLoop.current.runUntilTasksFinish()
    }
    await actor.thread.join()
    #expect(log.events == ["{", "task", "}", "job 1", "job 2", "job 3"])
  }
}

extension ThreadActor {
  /// Calls `body` in a job after it has enqueued others on the actor, and waits for all.
  nonisolated fileprivate func runNested(_ log: Log, jobs count: Int, _ body: @Sendable () -> Void) async {
    for job in await nest(log, jobs: count, body) { await job.value }
  }

  fileprivate func nest(_ log: Log, jobs count: Int, _ body: @Sendable () -> Void) -> [Task<Void, Never>] {
    log("{")
    let jobs = enqueueJobs(log, count)
    body()
    log("}")
    return jobs
  }

  /// Enqueues a job, which enqueues the next one.
  fileprivate func enqueueChain(_ log: Log, _ count: Int) {
    guard count > 0 else { return }
    Task {
      calls += 1
      log("job \(count)")
      enqueueChain(log, count - 1)
    }
  }

  fileprivate func enqueueJobs(_ log: Log, _ count: Int) -> [Task<Void, Never>] {
    guard count > 0 else { return [] }
    return (1...count).map { number in
      Task {
        calls += 1
        log("job \(number)")
      }
    }
  }
}
