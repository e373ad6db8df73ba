#if os(Linux)
  import CoreFoundation

  /// The main loop, as CoreFoundation knows it. On the main thread only.
  struct MainLoop {
    /// How long a timer waits that could not fire, in nanoseconds.
    private static let backOff: Int64 = 100_000_000

    /// A timer that was due at the end of a pass, and when to try it again.
    private var dueTimer: (date: CFAbsoluteTime, retry: Int64) = (0, 0)

    static var isRunning: Bool { CFRunLoopCopyCurrentMode(CFRunLoopGetMain()) != nil }

    /// The uptime at which the earliest timer of the default mode is due, `.max` for never.
    ///
    /// One that is due for the first time is tried at once. If it is still due after a pass, it could not fire there, as
    /// in a pass that is nested in its own callout, and is tried again later.
    ///
    /// - Parameter isAfterPass: a pass has just served what was ready.
    mutating func uptimeOfTimer(from now: Int64, isAfterPass: Bool) -> Int64 {
      let date = CFRunLoopGetNextTimerFireDate(CFRunLoopGetMain(), kCFRunLoopDefaultMode)
      guard date != 0 else { return .max }
      let seconds = date - CFAbsoluteTimeGetCurrent()
      guard seconds <= 0 else { return now + Int64((min(seconds, 1e9) * 1e9).rounded(.up)) }
      let isKnown = date == dueTimer.date
      if isAfterPass { dueTimer = (date, isKnown ? now + Self.backOff : now) }
      return isKnown ? dueTimer.retry : now
    }
  }
#endif
