import CoreFoundation
import Foundation

/// The objects that the package has attached to a loop, and the messages of other threads. The scheduler keeps it
/// behind a lock.
///
/// CoreFoundation calls no closure while it adds or removes an object, so the methods call CoreFoundation under the
/// lock. The one exception is the keep-alive of the common modes, whose closure takes no lock.
struct LoopAttachment {
  /// `nil` once the loop has ended.
  private(set) var loop: CFRunLoop?
  private(set) var mailbox = Mailbox()
  /// The sources and observers of users; see `LoopAttachment+Registrations`.
  var registrations = Registrations()

  private let common = KeepAlive(.common)
  private var keepAlives: [RunLoop.Mode: KeepAlive]
  /// The keep-alives that other threads have attached since the messages were read.
  private var attachedByOthers: [KeepAlive] = []
  /// The keep-alives whose modes were first observed then, inside a run.
  private var firstObservedByOthers: [KeepAlive] = []
  /// The modes of the latest message, which are all attached.
  private var latestModes: [RunLoop.Mode] = []
  /// The package's own observers, in the order of their creation.
  private var observers: [LoopObserver] = []
  /// An observer that is in the common modes only. A mode that contains it is one of them.
  private let probe = LoopObserver([], order: 0) { _ in }

  init(_ loop: CFRunLoop?) {
    self.loop = loop
    keepAlives = [.common: common]
  }

  // MARK: Modes

  mutating func keepAlive(of mode: RunLoop.Mode) -> KeepAlive {
    if let keepAlive = keepAlives[mode] { return keepAlive }
    let keepAlive = KeepAlive(mode)
    keepAlives[mode] = keepAlive
    return keepAlive
  }

  /// Attaches a keep-alive, and observes its mode from now on.
  ///
  /// - Returns: the keep-alives of the modes that were not observed before: that mode, and the common modes at first.
  @discardableResult
  mutating func attach(_ keepAlive: KeepAlive) -> [KeepAlive] {
    guard let loop else { return [] }
    let new = keepAlive.isObserved ? [] : observe(keepAlive, of: loop)
    if !keepAlive.isAttached { keepAlive.attach(to: loop) }
    return new
  }

  private func observe(_ keepAlive: KeepAlive, of loop: CFRunLoop) -> [KeepAlive] {
    if !common.isObserved { CFRunLoopAddObserver(loop, probe.cf, common.cfMode) }
    var new: [KeepAlive] = []
    for keepAlive in [common, keepAlive] where !keepAlive.isObserved {
      keepAlive.isObserved = true
      new.append(keepAlive)
      for observer in observers { CFRunLoopAddObserver(loop, observer.cf, keepAlive.cfMode) }
    }
    return new
  }

  /// Attaches a keep-alive and makes it due.
  mutating func makeDue(_ keepAlive: KeepAlive, after seconds: CFTimeInterval = 0) {
    guard let loop else { return }
    attach(keepAlive)
    keepAlive.makeDue(on: loop, after: seconds)
  }

  /// Detaches a keep-alive, unless there are unread messages, which may be for its mode.
  ///
  /// - Returns: whether it was detached.
  mutating func detach(_ keepAlive: KeepAlive) -> Bool {
    guard let loop, mailbox.isEmpty else { return false }
    latestModes = []
    keepAlive.detach(from: loop)
    return true
  }

  /// Whether a mode is one of the common modes. Only the loop's own thread calls this, after it has attached a
  /// keep-alive.
  func isCommon(_ keepAlive: KeepAlive) -> Bool {
    guard let loop else { return false }
    return CFRunLoopContainsObserver(loop, probe.cf, keepAlive.cfMode)
  }

  mutating func add(_ observer: LoopObserver) {
    observers.append(observer)
    guard let loop else { return }
    for keepAlive in keepAlives.values where keepAlive.isObserved {
      CFRunLoopAddObserver(loop, observer.cf, keepAlive.cfMode)
    }
  }

  // MARK: Messages

  /// The work that a message leaves to the thread that sends it.
  struct Receipt {
    /// Whether the loop has ended, and will not read the message.
    var isRefused = false
    /// The loop, if the caller must wake it.
    fileprivate var loopToWake: CFRunLoop?
    /// Objects that the caller releases without the lock.
    var leftovers = Mailbox.Leftovers()

    /// Wakes the loop if it must be. The caller does so without the lock, because the woken thread takes the lock at
    /// once.
    func wakeLoop() {
      if let loopToWake { CFRunLoopWakeUp(loopToWake) }
    }
  }

  mutating func add(_ task: RunLoopTask, _ modes: [RunLoop.Mode], at date: Int64) -> Receipt {
    send(for: modes) { $0.add(task, modes, at: date) }
  }

  mutating func amend(_ task: RunLoopTask, _ amendment: Amendment, at date: Int64) -> Receipt {
    var modes: [RunLoop.Mode] = []
    if case .modes(let new) = amendment { modes = new }
    return send(for: modes) { $0.amend(task, amendment, at: date) }
  }

  mutating func release(_ task: RunLoopTask, at date: Int64) -> Receipt {
    send(for: []) { $0.release(task, at: date) }
  }

  mutating func releaseOutdated(at date: Int64) -> Receipt {
    send(for: []) { $0.releaseOutdated(at: date) }
  }

  mutating func cancelTask(with key: TaskKey, at date: Int64) -> Receipt {
    send(for: []) { $0.cancelTask(with: key, at: date) }
  }

  /// Changes the mailbox, and attaches the keep-alives of modes.
  private mutating func send(for modes: [RunLoop.Mode], _ change: (inout Mailbox) -> Void) -> Receipt {
    guard let loop else { return Receipt(isRefused: true) }
    // One wake-up is enough for all messages until the loop reads them. Outside a run, the loop ignores it and reads
    // the messages when it enters one. If a nested run uses it up, the end of that run makes the keep-alive of the
    // outer run due.
    var mustWake = mailbox.isEmpty
    change(&mailbox)
    if !modes.isEmpty, modes != latestModes {
      for mode in modes {
        let keepAlive = keepAlive(of: mode)
        guard !keepAlive.isAttached else { continue }
        let new = attach(keepAlive)
        attachedByOthers.append(keepAlive)
        if !new.isEmpty, copyCurrentModeName(loop) != nil {
          // A run of the mode may have begun before the mode was observed. The end of a run nested in it would not wake
          // it.
          keepAlive.makeDue(on: loop)
          firstObservedByOthers += new
        }
        mustWake = true
      }
      latestModes = modes
    }
    return Receipt(loopToWake: mustWake ? loop : nil, leftovers: mailbox.takeLeftovers())
  }

  /// Removes and returns the messages and the keep-alives that other threads have attached for them.
  mutating func readMessages() -> (
    mail: (messages: [Mailbox.Message], keys: [TaskKey]), attached: [KeepAlive], firstObserved: [KeepAlive]
  ) {
    defer { (attachedByOthers, firstObservedByOthers) = ([], []) }
    return (mailbox.takeAll(), attachedByOthers, firstObservedByOthers)
  }

  // MARK: The end

  /// Removes everything from the loop.
  ///
  /// - Returns: the unread messages, and the sources and observers of users; `nil` if the loop has already ended.
  mutating func end() -> (
    mail: (messages: [Mailbox.Message], keys: [TaskKey]), sources: [Registrations.Source], observers: [UserObserver]
  )? {
    guard let loop else { return nil }
    let left = registrations.removeAll(of: loop)
    (observers + [probe]).forEach { $0.invalidate() }
    keepAlives.values.forEach { $0.invalidate() }
    (observers, keepAlives, attachedByOthers, firstObservedByOthers, self.loop) = ([], [:], [], [], nil)
    return (mailbox.takeAll(), left.sources, left.observers)
  }
}

extension Locked<LoopAttachment> {
  /// Wakes the loop, from any thread and without the lock, which the woken thread takes at once.
  func wakeLoop() {
    if let loop = withLock({ $0.loop }) { CFRunLoopWakeUp(loop) }
  }
}
