#if canImport(Testing)
  import Foundation
  import RunLoopTasks
  import Testing

  /// Whether a test that has a loop of its own uses the main loop itself: as its body belongs to the main actor, most
  /// times.
  final class MainLoopUse: Sendable {
    static let advice: Comment =
      "The test uses the main run loop, and not the one of its own: use withMainRunLoop instead of .ownRunLoop"

    private let task = identityOfCurrentTask()
    private let isUsed = Locked(false)

    /// Called in the test's task.
    init() { _ = Self.watch }

    var isNoted: Bool { isUsed.withLock { $0 } }

    /// The main loop is watched from the first such test on.
    private static let watch: Void = {
      RunLoopTaskQueue.main.add(Listener())
      WatchedLoop.observeRunsOfMainLoop { note() }
    }()

    private final class Listener: LoopListener {
      func taskIsScheduled(_: UInt) { note() }
    }

    /// The main loop begins a run, or a task is scheduled there: by a test itself, if its task does that on the main
    /// thread. What it does in `withMainRunLoop` is not noted, nor what other tasks do.
    private static func note() {
      guard let use = TestScope.ofOwnLoop?.mainLoopUse, MainLoopTurn.current == nil,
        use.task == identityOfCurrentTask(), Thread.isMainThread
      else { return }
      use.isUsed.withLock { $0 = true }
    }
  }

  private func identityOfCurrentTask() -> Int? { withUnsafeCurrentTask { $0?.hashValue } }
#endif
