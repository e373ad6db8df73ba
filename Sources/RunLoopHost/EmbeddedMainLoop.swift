#if os(Linux)
  import Dispatch
  import Foundation
  internal import RunLoopHostSystem
  internal import RunLoopTasks
  import Synchronization

  /// The main run loop inside another event loop, such as GTK's, Qt's, libuv's or a loop of `poll`.
  ///
  /// The event loop, the *host*, owns the main thread. It watches ``fileDescriptor`` and calls ``runPass()`` when that
  /// is readable. Then the main run loop works, but for what is listed below: tasks of all timings with their delays, limits and keys,
  /// from any thread and from the host's own handlers; main-queue blocks and the main actor; Foundation's timers; and
  /// `RunLoopSource`s. Nothing polls: while nothing happens, the host sleeps.
  ///
  /// ```swift
  /// let mainLoop = EmbeddedMainLoop()
  /// var descriptors = [pollfd(fd: mainLoop.fileDescriptor, events: Int16(POLLIN), revents: 0)]
  /// while !isDone {
  ///   mainLoop.prepareToSleep()
  ///   poll(&descriptors, 1, -1)
  ///   if descriptors[0].revents != 0 { mainLoop.runPass() }
  /// }
  /// ```
  ///
  /// ## What wakes the host
  ///
  /// - Tasks, changes of tasks, messages and commands, from any thread.
  /// - Main-queue blocks, and so the main actor.
  /// - The dates of tasks, and of the timers that were there after the last pass.
  ///
  /// ``prepareToSleep()`` sees what doesn't wake the host: a Foundation timer that a handler of the host adds, and the
  /// work of a task that runs the host's loop nested.
  ///
  /// Only a pass finds the following, so it waits until something else causes one:
  ///
  /// - a closure that a handler of the host passes to Foundation's own `perform(_:)`, with nothing chained to it;
  /// - a source of other code that is signalled and then woken only with `CFRunLoopWakeUp`, which CoreFoundation
  ///   ignores outside runs;
  /// - a port or a socket of CoreFoundation.
  ///
  /// Tasks, timers and sources in other modes than the default and the common ones wait for a run in their modes.
  ///
  /// ## What it relies on
  ///
  /// It relies on the descriptor that libdispatch exports for CoreFoundation on Linux,
  /// `_dispatch_get_main_queue_handle_4CF`, which isn't documented. It was tried with Swift 6.3.1. A program in which
  /// that is missing stops in ``init()`` with a message.
  ///
  /// - Important: Use it on the main thread only; elsewhere every call traps. A forked process can't use that of its
  ///   parent.
  public final class EmbeddedMainLoop {
    private let bell: Doorbell
    private let marker = Marker()
    private var mainLoop = MainLoop()
    private static let exists = Atomic(false)

    /// Embeds the main run loop from now on, until the last reference goes away. Then the loop is driven as before.
    ///
    /// The descriptor is readable at first, so the first pass serves what is already there.
    ///
    /// - Important: There can be one at a time; a second one traps. It also traps if the process has no descriptors
    ///   left, or if libdispatch lacks what this relies on.
    public init() {
      guard Thread.isMainThread else { Self.stop("init()", Self.wrongThread) }
      var all = RunLoopHostDescriptors()
      let error = RunLoopHost_open(&all)
      if error == -2 {
        Self.stop("init()", "needs the descriptor of the main queue, and libdispatch has none")
      } else if error < 0 {
        Self.stop(
          "init()", "needs _dispatch_get_main_queue_handle_4CF, which this version of libdispatch doesn't export")
      } else if error > 0 {
        Self.stop(
          "init()", "needs file descriptors, and the process can't open more: \(String(cString: strerror(error)))")
      }
      bell = Doorbell(all)
      if MainLoop.isRunning { Self.warn() }
      if Self.exists.exchange(true, ordering: .relaxed) {
        Self.stop("init()", "was called while another EmbeddedMainLoop exists; there is one main loop, so use that one")
      }
      RunLoopTaskQueue.main.add(bell)
      bell.ring()
    }

    deinit {
      RunLoopTaskQueue.main.remove(bell)
      Self.exists.store(false, ordering: .relaxed)
    }

    /// A descriptor that is readable as long as the main loop has something to do.
    ///
    /// It stays the same, is level-triggered and closes on `exec`. The host only watches it, and never reads, writes or
    /// closes it. It may be part of another epoll set.
    public var fileDescriptor: Int32 {
      check("fileDescriptor")
      return bell.descriptor
    }

    /// Serves what is ready, without blocking.
    ///
    /// It is one pass of the main loop in the default mode: sources, timers, main-queue blocks and tasks of all three
    /// timings. Idle tasks run in slices of 4 ms, so that the host's own events get their turns; what is left makes the
    /// descriptor readable again. A call with nothing to do is harmless, and so is a call inside a pass, as from a
    /// nested loop of the host that a task runs.
    public func runPass() {
      check("runPass()")
      bell.answer()
      makePass()
      if MainLoop.isRunning { restIfMainQueueIsBlocked() } else { bell.watchMainQueue(true) }
    }

    /// Looks at what the host's own code has added since the last pass. Call it before the host sleeps: in the
    /// *prepare* of a `GSource`, or in a `uv_prepare_t`.
    ///
    /// The host may leave it out if its handlers add no Foundation timers and run no tasks or loops nested in a task.
    ///
    /// - Returns: `true` if ``runPass()`` has work now, so that the descriptor is readable.
    @discardableResult
    public func prepareToSleep() -> Bool {
      check("prepareToSleep()")
      look(isAfterPass: false)
      return bell.rings
    }

    private func makePass() {
      bell.isInPass = true
      RunLoopTaskQueue.main.runSlicedPass()
      look(isAfterPass: true)
    }

    /// Rings if a pass has work, or else when one will have work. What comes later rings by itself.
    private func look(isAfterPass: Bool) {
      bell.isInPass = false
      let work = RunLoopTaskQueue.main.uptimeOfNextWork()
      let now = nanosecondsOfUptime()
      let date = min(work, mainLoop.uptimeOfTimer(from: now, isAfterPass: isAfterPass))
      if date <= now { bell.ring() } else { bell.setAlarm(at: date) }
    }

    // MARK: A host in a block of the main queue

    private final class Marker: @unchecked Sendable {
      // Unchecked, because it belongs to the main thread, which serves the main queue.
      var isInQueue = false
    }

    /// While a block of the main queue runs, nothing serves the others, and a host that runs in that block must not
    /// spin on them. Whether it is so shows only if passes do not serve a block.
    private func restIfMainQueueIsBlocked() {
      guard bell.hasBlocks else { return }
      if !marker.isInQueue {
        marker.isInQueue = true
        DispatchQueue.main.async { [marker, weak bell] in
          marker.isInQueue = false
          bell?.watchMainQueue(true)
        }
      }
      for _ in 1...3 where marker.isInQueue { makePass() }
      if marker.isInQueue { bell.watchMainQueue(false) }
    }

    // MARK: Mistakes

    private func check(_ function: StaticString) {
      if !RunLoopTaskQueue.main.isOwn { Self.stop(function, Self.wrongThread) }
      if RunLoopHost_isForked() {
        Self.stop(
          function,
          "was called in a forked process, but the loop's descriptors belong to its parent; execute a program instead")
      }
    }

    private static let wrongThread =
      "was called on another thread than the main one; from there use RunLoopTaskQueue.main or the main actor"

    private static func stop(_ function: StaticString, _ cause: String) -> Never {
      fatalError("EmbeddedMainLoop.\(function) \(cause)")
    }

    private static func warn() {
      let runner = RunLoopHost_isBesideRunLoopMain() ? ", by RunLoopMain if the program has an async main" : ""
      let text = """
        RunLoopHost: the main run loop is already being run\(runner), so it needs no EmbeddedMainLoop, and no main-queue block \
        runs while a host's loop is nested in another; let only one of the two run it

        """
      FileHandle.standardError.write(Data(text.utf8))
    }
  }
#endif
