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

  /// A call of `onSchedule` under way.
  struct Announcement {
    let mode: RunLoop.Mode
    let number: Int
    /// Whether the source has left the mode before the call returned.
    var hasLeft = false
  }

  var isValid = true
  var commands = Buffer<Command>()
  var perform: (@Sendable ([Command]) -> Void)?
  var onSchedule: (@Sendable (RunLoop.Mode) -> Void)?
  var onCancel: (@Sendable (RunLoop.Mode) -> Void)?
  var home: Home?
  private var announcements: [Announcement] = []
  private var nextNumber = 0

  init(
    perform: @escaping @Sendable ([Command]) -> Void, onSchedule: (@Sendable (RunLoop.Mode) -> Void)?,
    onCancel: (@Sendable (RunLoop.Mode) -> Void)?
  ) {
    (self.perform, self.onSchedule, self.onCancel) = (perform, onSchedule, onCancel)
  }

  /// Makes the source invalid.
  ///
  /// - Returns: the state before, whose contents the caller releases without the lock.
  mutating func invalidate() -> SourceState {
    let old = self
    (isValid, commands, perform, onSchedule, onCancel, home) = (false, Buffer(), nil, nil, nil, nil)
    return old
  }

  /// Notes that `onSchedule` is about to be called.
  ///
  /// - Returns: a number for the call.
  mutating func beginAnnouncement(of mode: RunLoop.Mode) -> Int {
    defer { nextNumber += 1 }
    announcements.append(Announcement(mode: mode, number: nextNumber))
    return nextNumber
  }

  /// Notes that `onSchedule` has returned.
  ///
  /// - Returns: whether the source has left the mode meanwhile.
  mutating func endAnnouncement(_ number: Int) -> Bool {
    announcements.firstIndex { $0.number == number }.map { announcements.remove(at: $0).hasLeft } ?? false
  }

  /// Notes that the thread of the loop has ended, and with it the calls of `onSchedule`.
  mutating func endHome() {
    home = nil
    announcements = []
  }

  /// Notes that the source has left modes.
  ///
  /// - Returns: the modes whose `onSchedule` has returned. The caller calls `onCancel` for them.
  mutating func leave(_ modes: [RunLoop.Mode]) -> [RunLoop.Mode] {
    modes.filter { mode in
      guard let index = announcements.firstIndex(where: { $0.mode == mode && !$0.hasLeft }) else { return true }
      announcements[index].hasLeft = true
      return false
    }
  }
}
