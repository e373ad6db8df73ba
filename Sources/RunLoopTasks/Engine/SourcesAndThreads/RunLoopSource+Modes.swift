import Foundation

// The modes that a source is in.
extension RunLoopSource: SourceOwner {
  func add(to scheduler: Scheduler, forMode mode: RunLoop.Mode, _ fileID: StaticString, _ line: UInt) {
    let closures = state.withLock { state -> SourceState<Command>.Closures? in
      guard let closures = state.closures else { return nil }
      let home = state.home ?? (scheduler, LoopSource(order: order) { [weak self] in self?.deliver() })
      guard home.scheduler === scheduler else {
        fatalError(
          """
          RunLoop.add(_:forMode:) cannot add a source to the mode "\(mode.rawValue)", because it is in a mode of another \
          thread's run loop; remove it there first, or make a source for each loop
          """, file: fileID, line: line)
      }
      guard !state.modes.contains(mode), scheduler.attachment.withLock({ $0.add(home.source, of: self, to: mode) })
      else { return nil }
      (state.home, state.modes, scheduler.usesSources) = (home, state.modes + [mode], true)
      if !state.commands.isEmpty { signal(state) }
      return closures
    }
    closures?.onSchedule?(mode)
  }

  func signalIfReady(in modes: [RunLoop.Mode]) -> Bool {
    state.withLock { state in
      guard state.isReady, state.modes.contains(where: modes.contains) else { return false }
      state.home?.source.signal()
      return true
    }
  }

  func remove(from scheduler: Scheduler, forMode mode: RunLoop.Mode) { leave(scheduler) { $0 == mode } }

  func loopHasEnded(_ scheduler: Scheduler) { leave(scheduler) { _ in true } }

  private func leave(_ scheduler: Scheduler, where mustLeave: (RunLoop.Mode) -> Bool) {
    let (left, onCancel) = state.withLock { state in
      let isHere = state.home?.scheduler === scheduler
      return (state.leave(self) { isHere && mustLeave($0) }, state.closures?.onCancel)
    }
    for mode in left { onCancel?(mode) }
  }

  func drain(_ scheduler: Scheduler) {
    var left = state.withLock { $0.commands.count }
    while left > 0,
      let batch = state.withLock({ $0.isServed(inDrainOf: scheduler) ? takeBatch(from: &$0, atMost: left) : nil })
    {
      left -= batch.commands.count
      perform(batch)
    }
  }
}
