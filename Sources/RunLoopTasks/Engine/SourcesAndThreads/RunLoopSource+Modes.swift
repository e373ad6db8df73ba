import Foundation

// The modes that a source is in.
extension RunLoopSource: SourceOwner {
  func add(to scheduler: Scheduler, forMode mode: RunLoop.Mode, _ call: Call) {
    let closures = state.withLock { state -> SourceState<Command>.Closures? in
      guard let closures = state.closures else { return nil }
      let home = state.home ?? (scheduler, LoopSource(order: order) { [weak self] in self?.deliver() })
      guard home.scheduler === scheduler else {
        call.stop(
          """
          cannot add a source to the mode "\(mode.rawValue)", because it is in a mode of another thread's run loop; \
          remove it there first, or make a source for each loop
          """)
      }
      guard !state.modes.contains(mode), scheduler.attachment.withLock({ $0.add(home.source, of: self, to: mode) })
      else { return nil }
      (state.home, state.modes, scheduler.hasHadSources) = (home, state.modes + [mode], true)
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

  func loopHasEnded(_ scheduler: Scheduler) { leave { home, _ in home === scheduler } }

  /// Takes the source out of modes of its loop.
  ///
  /// - Parameter forGood: whether it is invalid from now on.
  func leave(forGood: Bool = false, where mustLeave: (Scheduler, RunLoop.Mode) -> Bool) {
    let (left, onCancel, dropped) = state.withLock { state in
      let (onCancel, dropped) = (state.closures?.onCancel, forGood ? state : nil)
      if forGood { (state.closures, state.commands) = (nil, Buffer()) }
      let left = state.home.map { home in state.modes.filter { mustLeave(home.scheduler, $0) } } ?? []
      guard let home = state.home, !left.isEmpty else { return (left, onCancel, dropped) }
      state.modes.removeAll(where: left.contains)
      if state.modes.isEmpty { state.home = nil }
      home.scheduler.attachment.withLock { [modes = state.modes] in
        $0.remove(home.source, of: self, from: left, stayingIn: modes)
      }
      return (left, onCancel, dropped)
    }
    // The release of what is dropped may run any code, and without this it might happen with the lock held.
    withExtendedLifetime(dropped) { for mode in left { onCancel?(mode) } }
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
