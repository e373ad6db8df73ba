import Foundation

/// The state of a source. The source's lock guards it.
struct SourceState<Command: Sendable> {
  /// The loop that the source is in.
  struct Home {
    let scheduler: Scheduler
    let source: LoopSource
    /// The loop's thread, for messages.
    let thread: String
  }

  struct Closures {
    let perform: @Sendable ([Command]) -> Void
    let onSchedule: (@Sendable (RunLoop.Mode) -> Void)?
    let onCancel: (@Sendable (RunLoop.Mode) -> Void)?
  }

  /// A call of `onSchedule` under way.
  final class Announcement {
    let mode: RunLoop.Mode
    let closures: Closures
    /// Whether the source has left the mode before the call returned.
    var hasLeft = false

    init(_ mode: RunLoop.Mode, _ closures: Closures) { (self.mode, self.closures) = (mode, closures) }
  }

  /// `nil` once the source is invalid.
  var closures: Closures?
  var commands = Buffer<Command>()
  var home: Home?
  var announcements: [Announcement] = []

  init(_ closures: Closures) { self.closures = closures }

  /// Makes the source invalid.
  ///
  /// - Returns: the state before, whose contents the caller releases without the lock.
  mutating func invalidate() -> SourceState {
    let old = self
    (closures, commands, home) = (nil, Buffer(), nil)
    return old
  }

  /// Notes that `onSchedule` is about to be called.
  mutating func begin(_ announcement: Announcement) -> Announcement {
    announcements.append(announcement)
    return announcement
  }

  /// Notes that `onSchedule` has returned.
  ///
  /// - Returns: whether the source has left the mode meanwhile.
  mutating func end(_ announcement: Announcement) -> Bool {
    announcements.removeAll { $0 === announcement }
    return announcement.hasLeft
  }

  /// Notes that the source has left modes.
  ///
  /// - Returns: the modes whose `onSchedule` has returned. The caller calls `onCancel` for them.
  mutating func leave(_ modes: [RunLoop.Mode]) -> [RunLoop.Mode] {
    modes.filter { mode in
      let announcement = announcements.first { $0.mode == mode && !$0.hasLeft }
      announcement?.hasLeft = true
      return announcement == nil
    }
  }
}
