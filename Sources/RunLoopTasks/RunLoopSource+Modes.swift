import Foundation

// The modes that a source is in.
extension RunLoopSource: SourceOwner {
  func add(to scheduler: Scheduler, forMode mode: RunLoop.Mode) {
    let announcement = state.withLock { state -> SourceState<Command>.Announcement? in
      guard let closures = state.closures else { return nil }
      let home = state.home ?? .init(scheduler: scheduler, source: makeSource(), thread: currentThreadName)
      guard home.scheduler === scheduler else { stop(home.thread, mode) }
      let registration = LoopAttachment.Registration(source: home.source, owner: self, onCancel: closures.onCancel)
      guard scheduler.attachment.withLock({ $0.add(registration, to: mode) }) else { return nil }
      state.home = home
      if !state.commands.isEmpty { signal(state) }
      return state.begin(.init(mode, closures))
    }
    guard let announcement else { return }
    announcement.closures.onSchedule?(mode)
    // If another thread has removed the source meanwhile, it has left the call of `onCancel` to this thread.
    if state.withLock({ $0.end(announcement) }) { announcement.closures.onCancel?(mode) }
  }

  private func stop(_ thread: String, _ mode: RunLoop.Mode) -> Never {
    fatalError(
      """
      RunLoop.add(_:forMode:) cannot add a source to the mode "\(mode.rawValue)" of the run loop of \
      \(currentThreadName), because it is in a mode of the run loop of \(thread); remove it there first, or make a \
      source for each loop
      """)
  }

  private var currentThreadName: String {
    if Thread.isMainThread { return "the main thread" }
    return Thread.current.name.flatMap { $0.isEmpty ? nil : "the thread \"\($0)\"" } ?? "a thread without a name"
  }

  private func makeSource() -> LoopSource {
    LoopSource(
      order: order, perform: { [weak self] in self?.deliver() }, hasWork: { [weak self] in self?.hasCommands == true })
  }

  func remove(from scheduler: Scheduler, forMode mode: RunLoop.Mode) {
    let (left, onCancel) = state.withLock { state in
      let isElsewhere = scheduler.attachment.withLock { $0.remove(self, from: mode) }
      if isElsewhere == false { state.home = nil }
      return (isElsewhere == nil ? [] : state.leave([mode]), state.closures?.onCancel)
    }
    for mode in left { onCancel?(mode) }
  }

  func loopHasEnded(_ registration: LoopAttachment.Registration) {
    let left = state.withLock { state in
      (state.home, state.announcements) = (nil, [])  // the calls of `onSchedule` have ended with the thread
      return state.leave(registration.modes)
    }
    for mode in left { registration.onCancel?(mode) }  // the state of an invalid source has no `onCancel`
  }
}
