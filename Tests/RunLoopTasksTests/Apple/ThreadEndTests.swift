import Foundation
import Testing

@testable import RunLoopTasks

/// How a thread with a loop may end, and what may happen on it until it has.
@Suite struct ThreadEndTests {
  enum End: CaseIterable { case returning, pthreadExit, threadExit }

  /// The data of another owner goes with the thread in several rounds, and schedules tasks in each.
  @Test func whatIsScheduledUntilTheVeryEndIsCancelled() async {
    await #expect(processExitsWith: .success) {
      endInTime()
      for end in End.allCases {
        for hasTasksBefore in [true, false] {
          let (released, tasks) = (Counter(), Box<[RunLoopTask]>([]))
          let thread = JoinableThread {
            let data = DataOfAnOwner(released, tasks)
            if hasTasksBefore { data.schedule() }
            pthread_setspecific(keyOfAnOwner, Unmanaged.passRetained(data).toOpaque())
            leave(end)
          }
          thread.join()
          try #require(tasks.value.count == 2 * (DataOfAnOwner.rounds + (hasTasksBefore ? 1 : 0)))
          try #require(tasks.value.allSatisfy { $0.state == .cancelled })
          try #require(released.value == tasks.value.count)
        }
      }
    }
  }

  @Test func aRunThatIsLeftByEndingTheThreadLeavesNothing() async {
    await #expect(processExitsWith: .success) {
      endInTime()
      for end in [End.pthreadExit, .threadExit] {
        for timing in RunLoopTask.Timing.allCases {
          let (released, pending) = (Counter(), Box<RunLoopTask?>(nil))
          let thread = JoinableThread {
            pending.value = taskThatDoesNotRun(Token { released.count() })
            RunLoop.current.perform { leave(end) }.when(timing)
            run()
          }
          thread.join()
          try #require(pending.value!.state == .cancelled)
          try #require(released.value == 1)
        }
      }
    }
  }
}

/// What a thread keeps for somebody else. It takes several rounds of destructors to go.
private final class DataOfAnOwner {
  #if canImport(Darwin)
    static let rounds = 4
  #else
    // In the third CoreFoundation crashes, and in the fourth what runs under the thread sanitizer.
    static let rounds = 2
  #endif

  private let queue = RunLoop.current.taskQueue
  private let released: Counter
  private let tasks: Box<[RunLoopTask]>
  private var round = 0

  init(_ released: Counter, _ tasks: Box<[RunLoopTask]>) { (self.released, self.tasks) = (released, tasks) }

  func schedule() {
    let (token, other) = (self.token(), self.token())
    tasks.add([
      queue.perform(when: .idle) { token.use() }, RunLoop.current.perform { other.use() }.when(.idle),
    ])
  }

  private func token() -> Token { Token { [released] in released.count() } }

  /// - Returns: whether there are more rounds.
  func endRound() -> Bool {
    round += 1
    schedule()
    return round < Self.rounds
  }
}

private let keyOfAnOwner: pthread_key_t = {
  var key = pthread_key_t()
  let destructor: ThreadDestructor = { value in
    let value: UnsafeMutableRawPointer? = value  // an optional on Linux only
    let data = Unmanaged<DataOfAnOwner>.fromOpaque(value!)
    if data.takeUnretainedValue().endRound() { pthread_setspecific(keyOfAnOwner, value) } else { data.release() }
  }
  pthread_key_create(&key, destructor)
  return key
}()

private func taskThatDoesNotRun(_ token: Token) -> RunLoopTask {
  RunLoop.current.taskQueue.perform(forModes: [.other]) { token.use() }
}

private func leave(_ end: ThreadEndTests.End) {
  switch end {
  case .returning: break
  case .pthreadExit:
    // Looked up, so that it is no `Never`: what comes after the call is there, as in a function that does not know of the end.
    exitThread { unsafeBitCast(symbol("pthread_exit"), to: (@convention(c) (Int) -> Void).self)(0) }
  case .threadExit: exitThread { Thread.exit() }
  }
}
