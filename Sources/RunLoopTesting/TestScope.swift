#if canImport(Testing)
  import Foundation
  import RunLoopTasks
  import Synchronization
  import Testing

  /// The code of a test that has a loop, from its first line to its last.
  ///
  /// If it doesn't end within its limit, that is an issue of the test. Then the process ends with the same message,
  /// because the code can't be abandoned: it may go on at any time, and what it was lent must be there.
  final class TestScope: Sendable {
    /// That of the test that the calling code belongs to, if the test has a loop of its own.
    @TaskLocal static var ofOwnLoop: TestScope?

    private let sourceLocation: SourceLocation
    private let options: Options
    private let queue: RunLoopTaskQueue
    private let earlierTasks: [RunLoopTask]
    private let limit: TimeLimit
    private let hangs: AsyncStream<String>.Continuation
    private let use = LoopUse()
    private let clockWatch = StoppedClockWatch()
    let mainLoopUse: MainLoopUse?
    /// The address will not do: a later scope may get it.
    let number = TestScope.latestNumber.add(1, ordering: .relaxed).newValue
    private static let latestNumber = Atomic(0)

    /// Begins the code. Called in the test's task, on the thread of its loop.
    ///
    /// - Parameters:
    ///   - name: what messages call the code.
    ///   - sourceLocation: where the code is, for messages and issues.
    ///   - outsideRuns: calls a closure on that thread once the thread has nothing to do.
    init(
      _ name: String, at sourceLocation: SourceLocation, _ options: Options,
      outsideRuns: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
      queue = RunLoop.current.taskQueue
      let hang = Hang(queue: queue, loop: .current, use: use)
      (self.sourceLocation, self.options) = (sourceLocation, options)
      earlierTasks = queue.ownTasks
      mainLoopUse = options.listens ? MainLoopUse() : nil
      if options.listens { queue.add(use) }
      if options.clock == .stopped {
        queue.add(clockWatch)
        Self.holdClock(true)
      }
      let (hangs, continuation) = AsyncStream.makeStream(of: String.self)
      self.hangs = continuation
      limit = TimeLimit(options.timeLimit) {
        hang.describe(outsideRuns: outsideRuns) { continuation.yield($0) }
      }
      // An issue belongs to the test whose task records it. That task hangs, so this one inherits from it.
      Task(executorPreference: HangExecutor.shared) {
        for await description in hangs {
          let advice = self.usesWrongLoop ? ". \(MainLoopUse.advice)" : ""
          let message =
            "\(name) at \(place(sourceLocation)) has not ended within \(options.timeLimit): \(description)\(advice)"
          Issue.record(Comment(rawValue: message), sourceLocation: sourceLocation)
          fatalError(message)
        }
      }
    }

    /// The test's body belongs to the main actor, as far as can be seen.
    private var usesWrongLoop: Bool { mainLoopUse?.isNoted == true && !use.hasTasks }

    /// Lets the time limit stand still, or go on. For what the test waits for while others use it.
    func suspendLimit(_ isSuspended: Bool) { limit.suspend(isSuspended) }

    /// Ends the code, in the test's task, on the thread of its loop.
    func end() {
      // A test that is cancelled has stopped in the middle.
      let isCancelled = Task.isCancelled
      cancelLeftovers(except: earlierTasks, issuesAt: options.mayLeaveTasks || isCancelled ? nil : sourceLocation)
      if usesWrongLoop, !isCancelled { Issue.record(MainLoopUse.advice, sourceLocation: sourceLocation) }
      queue.remove(use)
      queue.remove(clockWatch)
      Self.holdClock(false)
      limit.cancel()
      hangs.finish()
    }
  }

  extension TestScope {
    private static func holdClock(_ isHeld: Bool) {
      RunLoop.current.stepped(in: .default, for: Call("", #fileID, #line)).holdClock(isHeld)
    }

    /// What the author of a test chooses.
    struct Options: Sendable {
      let clock: RunLoopTestClock
      let timeLimit: Duration
      let mayLeaveTasks: Bool
      /// Whether to listen to the loops, to name the task that runs and tests that use the wrong loop.
      var listens = true
    }
  }

  /// Runs tasks also while all of Swift's shared threads are blocked.
  private final class HangExecutor: TaskExecutor {
    static let shared = HangExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      TimeLimit.queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  /// As in the messages of the other calls that stop the program.
  func place(_ sourceLocation: SourceLocation) -> String { "\(sourceLocation.fileID):\(sourceLocation.line)" }
#endif
