import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import RunLoopTasks

  /// Tasks that are scheduled while a thread with a loop ends, in each way of ending it.
  @Suite struct ThreadEndTests {
    enum End: CaseIterable { case returning, pthreadExit, threadExit }

    /// Thread-specific data of other code is destroyed in several rounds, and schedules tasks in each.
    @Test func tasksScheduledByDestructorsAreCancelled() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        for end in End.allCases {
          for hasTasksBefore in [true, false] {
            let (released, tasks) = (Counter(), Box<[RunLoopTask]>([]))
            let thread = JoinableThread {
              let data = ForeignThreadData(released, tasks)
              if hasTasksBefore { data.schedule() }
              pthread_setspecific(foreignKey, Unmanaged.passRetained(data).toOpaque())
              leave(end)
            }
            thread.join()
            try #require(tasks.value.count == 2 * (ForeignThreadData.rounds + (hasTasksBefore ? 1 : 0)))
            try #require(tasks.value.allSatisfy { $0.state == .cancelled })
            try #require(released.value == tasks.value.count)
          }
        }
      }
    }
  }

  /// Thread-specific data of other code, which several rounds of destructors destroy.
  private final class ForeignThreadData {
    #if canImport(Darwin)
      static let rounds = 4
    #else
      // CoreFoundation crashes in the third round, and the thread sanitizer in the fourth.
      static let rounds = 2
    #endif

    private let queue = RunLoop.current.taskQueue
    private let released: Counter
    private let tasks: Box<[RunLoopTask]>
    private var round = 0

    init(_ released: Counter, _ tasks: Box<[RunLoopTask]>) { (self.released, self.tasks) = (released, tasks) }

    func schedule() {
      let release = { @Sendable [released] in _ = released.count() }
      tasks.add([
        queue.perform(when: .idle, closure(whenReleased: release)),
        RunLoop.current.perform(closure(whenReleased: release)).when(.idle),
      ])
    }

    /// - Returns: Whether there are more rounds.
    func endRound() -> Bool {
      round += 1
      schedule()
      return round < Self.rounds
    }
  }

  private let foreignKey = threadDataKey { value in
    let value: UnsafeMutableRawPointer? = value  // The value is optional on Linux only.
    let data = Unmanaged<ForeignThreadData>.fromOpaque(value!)
    if data.takeUnretainedValue().endRound() { pthread_setspecific(foreignKey, value) } else { data.release() }
  }

  private func leave(_ end: ThreadEndTests.End) {
    switch end {
    case .returning: break
    case .pthreadExit:
      // The test looks the function up, so that the compiler does not know that it never returns.
      exitThread { unsafeBitCast(symbol("pthread_exit"), to: (@convention(c) (Int) -> Void).self)(0) }
    case .threadExit: exitThread { Thread.exit() }
    }
  }

#endif
