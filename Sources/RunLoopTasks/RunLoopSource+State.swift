import Foundation

/// What a source is at the moment. Guarded by the source's lock.
struct SourceState<Command: Sendable> {
  var isValid = true
  var commands: [Command] = []
  var perform: (@Sendable ([Command]) -> Void)?
  var onSchedule: (@Sendable (RunLoop.Mode) -> Void)?
  var onCancel: (@Sendable (RunLoop.Mode) -> Void)?
  /// The loops that have the source, and what it is in each.
  var registrations: [SchedulerReference: SourceRegistration] = [:]
  /// The loop that performs commands, and how deep in nested runs.
  var performer: (scheduler: SchedulerReference, depth: Int)?
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

  /// Notes that the source has left modes.
  ///
  /// - Returns: those for which `onCancel` may be called now, as `onSchedule` has returned.
  mutating func leave(_ modes: [RunLoop.Mode], of scheduler: SchedulerReference) -> [RunLoop.Mode] {
    modes.filter { mode in
      guard let index = announcements.firstIndex(where: { $0.scheduler == scheduler && $0.mode == mode }) else {
        return true
      }
      announcements[index].hasLeft = true
      return false
    }
  }

  /// Notes that `onSchedule` has returned.
  ///
  /// - Returns: whether the source has left the mode meanwhile.
  mutating func endAnnouncement(of mode: RunLoop.Mode, in scheduler: SchedulerReference) -> Bool {
    // Only the thread that has begun an announcement ends it, so there is one.
    let index = announcements.firstIndex { $0.scheduler == scheduler && $0.mode == mode }!
    return announcements.remove(at: index).hasLeft
  }
}

/// A call of `onSchedule`, and whether the source has left the mode before it returned.
struct SourceAnnouncement {
  let scheduler: SchedulerReference
  let mode: RunLoop.Mode
  var hasLeft = false
}

/// A scheduler as a key.
struct SchedulerReference: Hashable {
  let scheduler: Scheduler

  init(_ scheduler: Scheduler) { self.scheduler = scheduler }

  static func == (one: SchedulerReference, other: SchedulerReference) -> Bool { one.scheduler === other.scheduler }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(scheduler)) }
}
