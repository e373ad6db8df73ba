#if os(Linux)
  import Foundation
  internal import RunLoopHostSystem
  internal import RunLoopTasks
  import Synchronization

  /// The descriptor that is readable as long as the main loop has something to do.
  ///
  /// It is an epoll set of three: one for wake-ups, one for the earliest date, and that of Dispatch's main queue.
  ///
  /// Whatever other threads send to the main loop rings. What the main thread itself does rings only while no pass
  /// serves it anyway:
  ///
  ///     host         handler ─ sleeps             handler ─ sleeps
  ///     pass                   └ answers ─ … ─ looks ┘
  ///     main thread  rings        is silent            rings
  final class Doorbell: LoopListener, @unchecked Sendable {
    // Unchecked, because the variables belong to the main thread.

    private let all: RunLoopHostDescriptors
    private let queue = RunLoopTaskQueue.main
    /// A pass of the host is under way, whose end looks at what is left.
    var isInPass = false
    /// The descriptor for wake-ups has been written since it was last read, or is about to be.
    private let isRung = Atomic(false)
    private var alarm = Int64.max
    private var watchesMainQueue = true

    init(_ all: RunLoopHostDescriptors) { self.all = all }

    deinit { withUnsafePointer(to: all) { RunLoopHost_close($0) } }

    var descriptor: Int32 { all.epoll }

    func ring() {
      if !isRung.exchange(true, ordering: .acquiringAndReleasing), !RunLoopHost_isForked() {
        RunLoopHost_signal(all.event)
      }
    }

    func setAlarm(at uptime: Int64) {
      if uptime == alarm || RunLoopHost_isForked() { return }
      alarm = uptime
      RunLoopHost_setTimer(all.timer, uptime == .max ? 0 : uptime)
    }

    // MARK: What the main loop tells

    func loopIsWoken() { if !queue.isOwn || !isInPass { ring() } }

    // Of the tasks of other threads `loopIsWoken` tells, once they are there.
    func taskIsScheduled(_: UInt) { if queue.isOwn, !isInPass { ring() } }

    func taskHasChanged() { if !isInPass { ring() } }

    // Outside passes, work of any kind may be left.
    func workEnds(_: UInt) { if !isInPass { ring() } }

    // MARK: The host

    /// The main loop has something to do.
    var rings: Bool { RunLoopHost_isReadable(all.epoll) }

    /// Makes it silent, before a pass. What rings from now on causes another pass. A date that has come rings on until
    /// the pass has set the next one.
    func answer() {
      // In this order, and always: a thread may be about to write.
      RunLoopHost_clear(all.event)
      _ = isRung.exchange(false, ordering: .acquiringAndReleasing)
    }

    // MARK: The main queue

    /// The main queue has blocks.
    var hasBlocks: Bool { watchesMainQueue && RunLoopHost_isReadable(all.mainQueue) }

    /// Whether blocks of the main queue ring.
    func watchMainQueue(_ mustWatch: Bool) {
      guard mustWatch != watchesMainQueue else { return }
      watchesMainQueue = mustWatch
      if mustWatch {
        let error = RunLoopHost_watch(all.epoll, all.mainQueue)
        // Otherwise blocks of the main queue would never wake the host.
        if error != 0 {
          fatalError("EmbeddedMainLoop cannot watch the main queue: \(String(cString: strerror(error)))")
        }
      } else {
        RunLoopHost_unwatch(all.epoll, all.mainQueue)
      }
    }
  }
#endif
