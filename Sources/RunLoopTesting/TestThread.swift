#if canImport(Testing)
  import Foundation
  import RunLoopTasks
  import Testing

  /// How a test has ended: by itself, or by its time limit.
  enum TestEnd: Sendable {
    case ended(Result<Void, any Error>)
    case hung(String)
  }

  /// A thread that runs the code of one test, outside any run of its loop.
  final class TestThread: TaskExecutor {
    private let test: Test
    /// Kept, because an abandoned thread may still use the arguments of its case.
    private let testCase: Test.Case?
    private let timeLimit: Duration
    private let mayLeaveTasks: Bool
    private let jobs = Jobs()
    private let limit = Locked<TimeLimit?>(nil)
    let end = FirstValue<TestEnd>()

    init(of test: Test, _ testCase: Test.Case?, timeLimit: Duration, mayLeaveTasks: Bool) {
      (self.test, self.testCase) = (test, testCase)
      (self.timeLimit, self.mayLeaveTasks) = (timeLimit, mayLeaveTasks)
    }

    /// Runs a function on the thread, once there is a place for it, until it ends or hangs.
    ///
    /// - Returns: whether it has ended. If not, the thread goes on having it.
    func run(_ function: AbandonableFunction) async -> Bool {
      // Not a child task, for which its parent would have to wait.
      let work = Task(executorPreference: self) { await self.perform(function) }
      Places.take { self.start() }
      let howItEnded = await withTaskCancellationHandler {
        await end.value
      } onCancel: {
        work.cancel()
      }
      if case .hung = howItEnded { return false }
      await work.value  // after which it no longer has the function
      return true
    }

    /// Its test has ended or hung, and the thread does nothing more for it.
    var isOver: Bool { jobs.areClosed }

    /// Lets the time limit stand still, or go on. For what the test waits for while others use it.
    func suspendLimit(_ isSuspended: Bool) { limit.withLock { $0?.suspend(isSuspended) } }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    private func start() {
      Thread {
        let queue = RunLoop.current.taskQueue
        let limit = TimeLimit(self.timeLimit) { self.limitHasPassed(queue) }
        self.limit.withLock { $0 = limit }
        while let job = self.jobs.next() { withAutoreleasePool(job) }
        limit.cancel()
      }.start()
    }

    /// Runs the test, on the thread.
    private func perform(_ function: AbandonableFunction) async {
      let result: Result<Void, any Error>
      do { result = .success(try await function.call()) } catch { result = .failure(error) }
      if !end.isClaimed, !mayLeaveTasks { cancelLeftovers(except: [], at: test.sourceLocation) }
      jobs.close()
      guard end.claim() else { return }
      // Here, and not where the test's end is awaited, because all threads of Swift's pool may be busy.
      Places.leave()
      end.set(.ended(result))
    }

    private func limitHasPassed(_ queue: RunLoopTaskQueue) {
      guard end.claim() else { return }
      Places.leave()
      Hang(of: queue).describe(
        outsideRuns: { self.jobs.close(after: $0) },
        // The function must not go on when the test is over, so the thread stays here.
        insideRuns: { while true { Thread.sleep(forTimeInterval: 1_000_000) } }
      ) { description in
        self.jobs.close(after: nil)
        self.end.set(.hung("The test has not ended within \(self.timeLimit): \(description)"))
      }
    }
  }
#endif
