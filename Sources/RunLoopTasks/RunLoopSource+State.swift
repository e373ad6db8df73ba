import Foundation

/// The state of a source. The source's lock guards it.
struct SourceState<Command: Sendable> {
  var isValid = true
  var commands = Buffer<Command>()
  var perform: (@Sendable ([Command]) -> Void)?
  var onSchedule: (@Sendable (RunLoop.Mode) -> Void)?
  var onCancel: (@Sendable (RunLoop.Mode) -> Void)?
  /// CoreFoundation's source in each of the loops, of which there are few.
  private(set) var sources: [(scheduler: Scheduler, source: LoopSource)] = []
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

  func source(in scheduler: Scheduler) -> LoopSource? {
    sources.first { $0.scheduler === scheduler }?.source
  }

  mutating func setSource(in scheduler: Scheduler, to source: LoopSource?) {
    sources.removeAll { $0.scheduler === scheduler }
    if let source { sources.append((scheduler, source)) }
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
