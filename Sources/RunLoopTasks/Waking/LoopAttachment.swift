import Foundation

/// What is attached to a loop, and the messages of other threads. The scheduler keeps it behind a lock.
///
/// CoreFoundation calls no closure while it adds or removes an object, so the methods call the host under the lock. The
/// one exception is the source that keeps the common modes alive, whose closure takes no lock.
struct LoopAttachment {
  /// `nil` once the loop has ended.
  private(set) var loop: (any HostLoop)?
  private(set) var mailbox = Mailbox()
  /// What users have added to the loop. Only `LoopAttachment+Registrations` changes these.
  var sources: [ObjectIdentifier: Registration] = [:]
  var observers: [ObjectIdentifier: UserObserver] = [:]

  /// All modes of the loop, in the order of their numbers. They remain as long as the scheduler.
  private(set) var modes: [LoopMode] = []
  private var modesByName: [RunLoop.Mode: LoopMode] = [:]
  private let flags: RunFlags

  init(_ loop: (any HostLoop)?, _ flags: RunFlags) { (self.loop, self.flags) = (loop, flags) }

  // MARK: Modes

  mutating func mode(_ name: RunLoop.Mode) -> LoopMode? {
    guard let loop else { return nil }
    if let mode = modesByName[name] { return mode }
    let limit = Int(ModeID.several.index)
    guard modes.count < limit else {
      fatalError(
        """
        A run loop can have tasks in \(limit) modes, and the mode "\(name.rawValue)" is one more; a loop keeps every \
        mode, so use the same few modes again instead of a new one for each piece of work
        """)
    }
    let mode = LoopMode(name, ModeID(index: UInt16(modes.count)), loop.makeMode(name))
    modes.append(mode)
    modesByName[name] = mode
    return mode
  }

  /// Attaches a mode, and observes it from now on.
  ///
  /// - Returns: whether this mode, or the common modes, which are observed with the first one, were not observed before.
  @discardableResult
  mutating func attach(_ mode: LoopMode) -> Bool {
    guard loop != nil else { return false }
    let isNew = !mode.isObserved
    if isNew { observe(mode) }
    if !mode.isAttached {
      mode.attach()
      flags.attachedModes.wrappingAdd(1, ordering: .relaxed)
    }
    return isNew
  }

  private func observe(_ mode: LoopMode) {
    for mode in [modes[Int(ModeID.common.index)], mode] where !mode.isObserved {
      mode.isObserved = true
      mode.host.observe()
    }
    // A run of the mode may have begun before the mode was observed.
    if loop?.isRunning == true { flags.areRunsHidden.store(true, ordering: .relaxed) }
  }

  /// Attaches a mode and makes it due.
  mutating func makeDue(_ mode: LoopMode, after seconds: Double = 0) {
    guard loop != nil else { return }
    attach(mode)
    mode.host.makeDue(after: seconds)
  }

  /// Detaches a mode, unless there are unread messages, which may be for it.
  mutating func detach(_ mode: LoopMode) {
    guard loop != nil, mailbox.isEmpty else { return }
    mode.detach()
    flags.attachedModes.wrappingSubtract(1, ordering: .relaxed)
  }

  // MARK: Messages

  /// The work that a message leaves to the thread that sends it.
  struct Receipt {
    /// Whether the loop has ended, and will not read the message.
    var isRefused = false
    /// The loop, if the caller must wake it. The caller does so without the lock, because the woken thread takes the
    /// lock at once.
    var loopToWake: (any HostLoop)?
    /// Objects that the caller releases without the lock, because their release may run any code.
    var leftovers: [Any] = []
  }

  /// Puts a message into the mailbox, and attaches its modes.
  @inline(__always)
  mutating func send(_ message: Mailbox.Content, at date: Int64) -> Receipt {
    guard loop != nil else { return Receipt(isRefused: true) }
    // One wake-up is enough for all messages until the loop reads them. Outside a run, the loop ignores it and reads
    // the messages when it enters one. If a nested run consumes it, the end of that run makes the modes of the outer
    // run due. Between that end and the sleep of the outer run, only a mode that is due ends the sleep.
    let mayBeIgnored = flags.mayIgnoreWakeUps.load(ordering: .relaxed)
    var mustWake = mailbox.isEmpty || mayBeIgnored
    mailbox.add(message, at: date)
    message.forEachMode { id in
      let mode = modes[Int(id.index)]
      guard !mode.isAttached else { return }
      attach(mode)
      if !mode.hasBeenSeenRunning.load(ordering: .relaxed) { mode.host.makeDue(after: 0) }
      mustWake = true
    }
    if mayBeIgnored { for mode in modes where mode.isAttached { mode.host.makeDue(after: 0) } }
    return Receipt(loopToWake: mustWake ? loop : nil, leftovers: mailbox.takeLeftovers())
  }

  mutating func readMessages() -> Mailbox { mailbox.take() }

  // MARK: The end

  /// Removes everything from the loop.
  ///
  /// - Returns: the unread messages, and the sources and observers of users; `nil` if the loop has already ended.
  mutating func end() -> (mailbox: Mailbox, sources: [Registration], observers: [UserObserver])? {
    guard let loop else { return nil }
    let (sources, observers) = (Array(sources.values), Array(observers.values))
    for source in sources { _ = remove(source.owner) }
    self.observers = [:]
    loop.end()
    self.loop = nil
    return (mailbox.take(), sources, observers)
  }
}

extension Locked<LoopAttachment> {
  /// Wakes the loop, from any thread and without the lock, which the woken thread takes at once.
  func wakeLoop() {
    withLock({ $0.loop })?.wakeUp()
  }
}
