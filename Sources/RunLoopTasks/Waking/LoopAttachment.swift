import Foundation

/// What is attached to a loop, and the messages of other threads. The scheduler keeps it behind a lock.
///
/// CoreFoundation calls no closure while it adds or removes an object, so the methods call the host under the lock. The
/// one exception is the source that keeps the common modes alive, whose closure takes no lock.
struct LoopAttachment {
  /// `nil` once the loop has ended.
  private(set) var loop: (any HostLoop)?
  var mailbox = Mailbox()
  /// What users have added to the loop. Only `LoopAttachment+Registrations` changes these.
  var sources: [ObjectIdentifier: (owner: any SourceOwner, source: LoopSource)] = [:]
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

  /// Observes a mode from now on.
  func observe(_ mode: LoopMode) {
    guard let loop, !mode.isObserved else { return }
    mode.isObserved = true
    mode.host.observe()
    // A run of the mode may have begun before.
    if loop.isRunning { flags.noteHiddenRuns() }
  }

  /// Observes and attaches a mode.
  func attach(_ mode: LoopMode) {
    guard loop != nil else { return }
    observe(mode)
    if !mode.isAttached { mode.attach() }
  }

  /// Attaches a mode, and arms it for a date or for now.
  func arm(_ mode: LoopMode, at date: Int64 = 0, _ now: Int64 = 0) {
    guard loop != nil else { return }
    attach(mode)
    mode.arm(at: date, now)
  }

  /// Detaches a mode that has no tasks, unless there are unread messages, which may have some for it.
  func detach(_ mode: LoopMode) {
    if loop != nil, mailbox.isEmpty { mode.detach() }
  }

  // MARK: Messages

  /// Puts a message into the mailbox, and attaches its modes.
  ///
  /// - Returns: what is left for the thread that sends it, which no longer needs the lock then: the loop, if it must be
  ///   woken, and what the message has taken out of the mailbox. `nil` if the loop has ended, and will not read the
  ///   message.
  @inline(__always)
  mutating func send(
    _ message: Mailbox.Content, at date: Int64
  ) -> (loopToWake: (any HostLoop)?, leftover: Mailbox.Leftover)? {
    guard loop != nil else { return nil }
    // One wake-up is enough for all messages until the loop reads them. Outside a run, the loop ignores it and reads
    // the messages when it enters one. If a nested run consumes it, the outer run reads the messages at its check, or
    // the attached modes are armed when the nested run leaves.
    var mustWake = mailbox.isEmpty
    let leftover = mailbox.add(message, at: date)
    message.forEachMode {
      let mode = modes[Int($0.index)]
      guard !mode.isAttached else { return }
      attach(mode)
      mustWake = true  // a run of a mode that was not observed may have consumed the wake-up for an earlier one
    }
    if flags.nextSleep.load(ordering: .relaxed) == .endsByTimer {
      for mode in modes where mode.isAttached && !mode.isArmedForNow { mode.arm() }
      mustWake = true
    }
    return (mustWake ? loop : nil, leftover)
  }

  // MARK: The end

  /// Removes everything from the loop.
  ///
  /// - Returns: the unread messages, and the sources and observers of users; `nil` if the loop has already ended.
  mutating func end() -> (mailbox: Mailbox, sources: [any SourceOwner], observers: [UserObserver])? {
    guard let loop else { return nil }
    let (owners, observers) = (sources.values.map(\.owner), Array(observers.values))
    for source in sources.values { source.source.invalidate() }
    (sources, self.observers) = ([:], [:])
    for mode in modes { mode.host.end() }
    loop.end()
    self.loop = nil
    return (mailbox.take(), owners, observers)
  }
}

extension Locked<LoopAttachment> {
  /// Wakes the loop, from any thread and without the lock, which the woken thread takes at once.
  func wakeLoop() {
    withLock({ $0.loop })?.wakeUp()
  }
}
