#if os(macOS) || os(Linux)  // Other platforms have no exit tests.
  import Foundation
  import RunLoopTasks
  import Testing

  /// Tasks of a process that forks.
  @Suite(.onOwnLoop) struct ForkTests {
    @Test func aForkLosesNoTask() async {
      await #expect(processExitsWith: .success) {
        endInTime()
        let loop = LoopThread(running: .default)
        let (ran, posted) = (Counter(), DispatchSemaphore(value: 0))
        let (threads, tasksEach) = (2, 5_000)
        for _ in 1...threads {
          Thread {
            for number in 0..<tasksEach {
              loop.queue.perform(when: RunLoopTask.Timing.allCases[number % 3]) { ran.count() }
            }
            posted.signal()
          }.start()
        }
        for _ in 1...20 { try forkProcess { _exit(0) } }
        for _ in 1...threads { posted.waitOrDie("a posting thread") }
        waitUntil { ran.value == threads * tasksEach }
        loop.end()
      }
    }
  }

  /// Calls `body`, which must not return, in a copy of this process, and waits for its end.
  private func forkProcess(_ body: () -> Void) throws {
    // Swift hides `fork`, because the child may call very few functions.
    let fork = unsafeBitCast(symbol("fork"), to: (@convention(c) () -> pid_t).self)
    let child = fork()
    if child == 0 { body() }
    var status: Int32 = -1
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    try #require(status == 0)
  }
#endif
