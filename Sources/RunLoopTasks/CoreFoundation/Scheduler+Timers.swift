import CoreFoundation

// The timers of a mode, apart from those with which the package wakes the loop.
extension Scheduler {
  func isTimerDue(in mode: ModeID) -> Bool { nanosecondsToNextTimer(in: mode) <= 0 }

  /// The nanoseconds until the next timer of a mode is due, `.max` if there is none.
  func nanosecondsToNextTimer(in mode: ModeID) -> Int64 {
    guard let date = nextTimerDate(in: mode) else { return .max }
    let nanoseconds = (date - CFAbsoluteTimeGetCurrent()) * 1e9
    return Int64(min(max(nanoseconds, -1), 9e18).rounded(.up))
  }

  private func nextTimerDate(in mode: ModeID) -> CFAbsoluteTime? {
    guard let loop = loop?.takeUnretainedValue() else { return nil }
    let (own, common) = (modes.keepAlive(mode), modes.keepAlive(.common))
    let date = CFRunLoopGetNextTimerFireDate(loop, own.cfMode)
    guard date != 0 else { return nil }
    return attachment.withLock { _ in
      guard date == own.timerDate || date == common.timerDate else { return date }
      // CoreFoundation tells only the date of the first timer, which is one of the package.
      let other = own.withoutTimer(on: loop) {
        common.withoutTimer(on: loop) { CFRunLoopGetNextTimerFireDate(loop, own.cfMode) }
      }
      return other == 0 ? nil : other
    }
  }
}
