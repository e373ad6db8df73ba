import Foundation

// The modes that a source is in.
extension RunLoopSource: SourceOwner {
  func add(to scheduler: Scheduler, forMode mode: RunLoop.Mode, _ call: Call) {
    let closures = state.withLock { state -> SourceState<Command>.Closures? in
      guard state.isValid, let closures = state.closures else { return nil }
      let home = state.home ?? (scheduler, LoopSource(order: order) { [weak self] in self?.deliver() })
      guard home.scheduler === scheduler else {
        call.stop(
          """
          cannot add a source to the mode "\(mode.rawValue)", because it is in a mode of another thread's run loop; \
          remove it there first, or make a source for each loop
          """)
      }
      guard !state.modes.contains(mode), scheduler.inbox.add(home.source, of: self, to: mode)
      else { return nil }
      (state.home, state.modes) = (home, state.modes + [mode])
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

  func loopHasEnded(_ scheduler: Scheduler) -> Int { leave(scheduler, forGood: true) }

  /// Takes the source out of modes of its loop.
  ///
  /// - Parameters:
  ///   - scheduler: the loop; nothing happens if the source is not there. `nil` for any.
  ///   - mode: the mode to leave; `nil` for all.
  ///   - forGood: whether the source is invalid from now on.
  /// - Returns: the number of commands that are dropped.
  @discardableResult
  func leave(_ scheduler: Scheduler? = nil, _ mode: RunLoop.Mode? = nil, forGood: Bool = false) -> Int {
    let (left, onCancel, dropped) = state.withLock {
      state -> ([RunLoop.Mode], SourceState<Command>.Callback?, SourceState<Command>?) in
      guard scheduler == nil || state.home?.scheduler === scheduler else { return ([], nil, nil) }
      let (onCancel, dropped) = (state.closures?.onCancel, forGood ? state : nil)
      if forGood { (state.closures, state.commands) = (nil, []) }
      let left = state.modes.filter { mode ?? $0 == $0 }
      guard let home = state.home, !left.isEmpty else { return (left, onCancel, dropped) }
      state.modes.removeAll(where: left.contains)
      if state.modes.isEmpty { state.home = nil }
      home.scheduler.inbox.remove(home.source, of: self, from: left, stayingIn: state.modes)
      return (left, onCancel, dropped)
    }
    // The release of what is dropped may run any code, and without this it might happen with the lock held.
    return withExtendedLifetime(dropped) {
      for mode in left { onCancel?(mode) }
      return dropped?.commands.count ?? 0
    }
  }

  func drain(_ scheduler: Scheduler) -> Bool {
    guard let batch = state.withLock({ $0.isServed(inDrainOf: scheduler) ? takeDelivery(from: &$0) : nil }) else {
      return false
    }
    perform(batch)
    return true
  }

  func end(inDrainOf scheduler: Scheduler) -> Int {
    state.withLock({ $0.isServed(inDrainOf: scheduler) }) ? leave(scheduler, forGood: true) : 0
  }
}

/// Says on standard error that a loop has ended with commands that nobody will deliver.
func reportDroppedCommands(_ count: Int) {
  guard count > 0 else { return }
  droppedCommands.write(
    """
    \(count) \(count == 1 ? "command was" : "commands were") sent to a RunLoopSource and never delivered, because its thread \
    "\(Thread.current.name ?? "")" has ended; a RunLoopThread that stops delivers what its sources in the default and \
    common modes have accepted, and for another loop a source can be removed before the end
    """)
}

private let droppedCommands = Notice()
