import Foundation

// The modes that a source is in.
extension RunLoopSource {
  func add(to scheduler: Scheduler, forMode mode: RunLoop.Mode) {
    let (isNew, onSchedule, onCancel) = state.withLock { state in
      guard state.isValid else { return (false, state.onSchedule, state.onCancel) }
      let source = state.source(in: scheduler) ?? makeSource()
      let registration = LoopAttachment.Registration(source: source, owner: self, onCancel: state.onCancel)
      let isNew = scheduler.attachment.withLock { $0.add(registration, to: mode) }
      if isNew {
        state.setSource(in: scheduler, to: source)
        state.announcements.append(SourceAnnouncement(scheduler: scheduler, mode: mode))
        if !state.commands.isEmpty { signal(state) }
      }
      return (isNew, state.onSchedule, state.onCancel)
    }
    guard isNew else { return }
    onSchedule?(mode)
    // If another thread has removed the source meanwhile, it has left the call of `onCancel` to this thread.
    let hasLeft = state.withLock { $0.endAnnouncement(of: mode, in: scheduler) }
    if hasLeft { onCancel?(mode) }
  }

  private func makeSource() -> LoopSource {
    LoopSource(
      order: order, perform: { [weak self] in self?.deliver() }, lookAgain: { [weak self] in self?.lookAgain() })
  }

  func remove(from scheduler: Scheduler, forMode mode: RunLoop.Mode) {
    let (left, onCancel) = state.withLock { state in
      guard let isElsewhere = scheduler.attachment.withLock({ $0.remove(self, from: mode) }) else {
        return ([RunLoop.Mode](), state.onCancel)
      }
      if !isElsewhere { state.setSource(in: scheduler, to: nil) }
      return (state.leave([mode], of: scheduler), state.onCancel)
    }
    for mode in left { onCancel?(mode) }
  }
}

extension RunLoopSource: SourceOwner {
  func loopHasEnded(_ scheduler: Scheduler, _ registration: LoopAttachment.Registration) {
    let left = state.withLock { state in
      state.setSource(in: scheduler, to: nil)
      state.announcements.removeAll { $0.scheduler === scheduler }  // of calls that have exited this thread
      return state.leave(registration.modes, of: scheduler)
    }
    for mode in left { registration.onCancel?(mode) }  // the state of an invalid source has no `onCancel`
  }
}
