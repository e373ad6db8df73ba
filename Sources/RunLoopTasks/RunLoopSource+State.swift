import Foundation

/// The state of a source. The source's lock guards it.
struct SourceState<Command: Sendable> {
  var isValid = true
  var commands = Buffer<Command>()
  var perform: (@Sendable ([Command]) -> Void)?
  var onSchedule: (@Sendable (RunLoop.Mode) -> Void)?
  var onCancel: (@Sendable (RunLoop.Mode) -> Void)?
  /// The source's registration in each of its loops, of which there are few.
  private(set) var registrations: [(scheduler: Scheduler, registration: SourceRegistration)] = []
  /// The loop that is performing commands, and the number of its nested calls of `perform`.
  var performer: (scheduler: Scheduler, depth: Int)?
  /// The calls of `onSchedule` under way.
  var announcements: [SourceAnnouncement] = []

  init(
    perform: @escaping @Sendable ([Command]) -> Void, onSchedule: (@Sendable (RunLoop.Mode) -> Void)?,
    onCancel: (@Sendable (RunLoop.Mode) -> Void)?
  ) {
    (self.perform, self.onSchedule, self.onCancel) = (perform, onSchedule, onCancel)
  }

  /// The state of an invalid source.
  init(announcements: [SourceAnnouncement]) {
    isValid = false
    self.announcements = announcements
  }

  func registration(in scheduler: Scheduler) -> SourceRegistration? {
    registrations.first { $0.scheduler === scheduler }?.registration
  }

  mutating func setRegistration(in scheduler: Scheduler, to registration: SourceRegistration?) {
    registrations.removeAll { $0.scheduler === scheduler }
    if let registration { registrations.append((scheduler, registration)) }
  }

  /// Notes that the source has left modes.
  ///
  /// - Returns: the modes whose `onSchedule` has returned. The caller calls `onCancel` for them.
  mutating func leave(_ modes: [RunLoop.Mode], of scheduler: Scheduler) -> [RunLoop.Mode] {
    modes.filter { mode in
      guard let index = announcements.firstIndex(where: { $0.scheduler === scheduler && $0.mode == mode }) else {
        return true
      }
      announcements[index].hasLeft = true
      return false
    }
  }

  /// Notes that `onSchedule` has returned.
  ///
  /// - Returns: whether the source has left the mode meanwhile.
  mutating func endAnnouncement(of mode: RunLoop.Mode, in scheduler: Scheduler) -> Bool {
    // Only the thread that began an announcement ends it, so the announcement is there.
    let index = announcements.firstIndex { $0.scheduler === scheduler && $0.mode == mode }!
    return announcements.remove(at: index).hasLeft
  }
}

/// A call of `onSchedule`, and whether the source has left the mode before it returned.
struct SourceAnnouncement {
  let scheduler: Scheduler
  let mode: RunLoop.Mode
  var hasLeft = false
}
