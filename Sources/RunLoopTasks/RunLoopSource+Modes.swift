import Foundation

// The modes that a source is in.
extension RunLoopSource {
  func add(to scheduler: Scheduler, forMode mode: RunLoop.Mode) {
    let reference = SchedulerReference(scheduler)
    let (isNew, onSchedule, onCancel) = state.withLock { state in
      guard state.isValid else { return (false, state.onSchedule, state.onCancel) }
      let registration = state.registrations[reference] ?? makeRegistration()
      let source = Registrations.Source(registration: registration, owner: self, onCancel: state.onCancel)
      let isNew = scheduler.attachment.withLock { $0.add(source, to: mode) }
      if isNew {
        state.registrations[reference] = registration
        state.announcements.append(SourceAnnouncement(scheduler: reference, mode: mode))
        if !state.commands.isEmpty { signal(state) }
      }
      return (isNew, state.onSchedule, state.onCancel)
    }
    guard isNew else { return }
    onSchedule?(mode)
    // If another thread has removed the source meanwhile, it has left the call of `onCancel` to this thread.
    let hasLeft = state.withLock { $0.endAnnouncement(of: mode, in: reference) }
    if hasLeft { onCancel?(mode) }
  }

  private func makeRegistration() -> SourceRegistration {
    SourceRegistration(
      order: order, perform: { [weak self] in self?.deliver() }, lookAgain: { [weak self] in self?.lookAgain() })
  }

  func remove(from scheduler: Scheduler, forMode mode: RunLoop.Mode) {
    let reference = SchedulerReference(scheduler)
    let (left, onCancel) = state.withLock { state in
      guard let isElsewhere = scheduler.attachment.withLock({ $0.remove(self, from: mode) }) else {
        return ([RunLoop.Mode](), state.onCancel)
      }
      if !isElsewhere { state.registrations[reference] = nil }
      return (state.leave([mode], of: reference), state.onCancel)
    }
    for mode in left { onCancel?(mode) }
  }
}

extension RunLoopSource: SourceOwner {
  func loopHasEnded(_ scheduler: Scheduler, _ source: Registrations.Source) {
    let reference = SchedulerReference(scheduler)
    let left = state.withLock { state in
      state.registrations[reference] = nil
      return state.leave(source.modes, of: reference)
    }
    for mode in left { source.onCancel?(mode) }  // the state of an invalid source has no `onCancel`
  }
}
