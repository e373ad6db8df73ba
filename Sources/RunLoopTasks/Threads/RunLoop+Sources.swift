import Foundation

extension RunLoop {
  /// Adds a custom input source to a mode of the current thread's loop, and calls its `onSchedule`.
  ///
  /// The call has no effect if the source is invalid or already in the mode.
  ///
  /// - Important: Call it on the loop's own thread; elsewhere it traps. It also traps if the source is in a mode of
  ///   another loop.
  /// - Parameters:
  ///   - source: the source.
  ///   - mode: the mode; `.common` for all common modes.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  public func add<Command>(
    _ source: RunLoopSource<Command>, forMode mode: RunLoop.Mode, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    let call = Call("RunLoop.add(_:forMode:)", fileID, line)
    let scheduler = scheduler(for: call)
    // The mode is observed from now on. Otherwise a driven pass around a run of the mode would be taken for that run.
    source.add(to: scheduler, forMode: scheduler.spelling(of: mode), call)
  }

  /// Removes a custom input source from a mode of the current thread's loop, and calls its `onCancel`.
  ///
  /// If the source is not in that mode, nothing happens.
  ///
  /// - Important: Call it on the loop's own thread; elsewhere it traps. ``RunLoopSource/invalidate()`` removes a source
  ///   from its loop, on any thread.
  /// - Parameters:
  ///   - source: the source.
  ///   - mode: the mode that it was added to.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  public func remove<Command>(
    _ source: RunLoopSource<Command>, forMode mode: RunLoop.Mode, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    let scheduler = scheduler(for: Call("RunLoop.remove(_:forMode:)", fileID, line))
    let mode = scheduler.spelling(of: mode)
    source.leave(scheduler, mode)
  }

  /// Returns the current thread's scheduler. Traps if that serves another loop, and says what to do instead.
  func scheduler(for call: Call, _ remedy: String = Call.callElsewhere) -> Scheduler {
    let scheduler = Scheduler.current
    if !scheduler.belongs(to: self) { call.stopElsewhere(remedy) }
    return scheduler
  }
}
