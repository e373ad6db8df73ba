#if os(Linux)
  import Foundation
  import RunLoopHost
  import RunLoopTasks

  /// A loop of `poll` that the main loop is embedded in.
  final class PollHost {
    let loop = EmbeddedMainLoop()
    /// The times that `poll` has returned because the main loop had something to do.
    private(set) var wakeUps = 0

    /// Turns until a condition holds, or for some seconds, and calls `handler` in each turn, as a host calls its own.
    @discardableResult
    func run(
      seconds: Double = 30, prepares: Bool = true, until isDone: () -> Bool = { false }, handler: () -> Void = {}
    ) -> Bool {
      let end = Date(timeIntervalSinceNow: seconds)
      while !isDone() {
        handler()
        if prepares { loop.prepareToSleep() }
        let left = end.timeIntervalSinceNow
        if left <= 0 { return false }
        var entry = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
        if poll(&entry, 1, Int32(left * 1_000) + 1) > 0 {
          wakeUps += 1
          loop.runPass()
        }
      }
      return true
    }

    /// Turns until nothing is left to do, here and elsewhere.
    func settle() { while isSomethingElsewhere || isReadable { run(seconds: 0.001) } }

    var isReadable: Bool { PollHost.isReadable(loop.fileDescriptor) }

    static func isReadable(_ descriptor: Int32, within milliseconds: Int32 = 0) -> Bool {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, milliseconds) > 0
    }

    /// The wake-ups in a time.
    func wakeUps(inSeconds seconds: Double) -> Int {
      let before = wakeUps
      run(seconds: seconds)
      return wakeUps - before
    }
  }
#endif
