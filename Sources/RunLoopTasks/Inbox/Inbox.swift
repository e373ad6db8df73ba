import Foundation
import Synchronization

/// Where other threads meet a loop: the messages that they send to it, and what is attached to it.
///
/// Its lock also guards what says so: the scheduler's `clock`, the `isCommon` of modes, the observers of `SystemLoop`, and
/// tasks that are in the mailbox. Whoever holds the lock of a source may take this one, and not the other way round.
struct Inbox: ~Copyable, Sendable {
  private let attachment: Locked<LoopAttachment>
  /// Set and cleared with the lock, and read without it.
  private let unread = Atomic(false)
  /// Changed with the lock: see `Door`.
  private let door = Atomic(Door.open)
  /// A source was added at some time. Only the loop's own thread changes it, and reads it without the lock.
  private let hadSources = Atomic(false)

  /// With the modes that have the numbers of `ModeID`.
  init(_ loop: (any LoopDriver)?, lock: Lock) {
    attachment = Locked(LoopAttachment(loop), lock: lock)
    attachment.withLock { for name in [RunLoop.Mode.default, .common] { _ = $0.mode(name) } }
  }

  /// `nil` once the loop has ended.
  var loop: (any LoopDriver)? { attachment.withLock { $0.loop } }

  /// Calls `body` with the lock held, to access what it guards besides.
  func withLock<Result>(_ body: () -> Result) -> Result { attachment.withLock { _ in body() } }

  // MARK: Messages

  /// Messages may be unread.
  @inline(__always)
  var hasUnread: Bool { unread.load(ordering: .acquiring) }

  /// Adds a message, and attaches its modes.
  ///
  /// - Parameter date: the time of the clock.
  /// - Returns: `nil` if the loop has ended or is closed to other threads. Otherwise the loop, which must be woken for the
  ///   first message that is unread, and a superseded task for `releaseContents`: both without the lock, as the woken
  ///   thread takes it at once, and a release may run any code.
  func add(
    _ message: Mailbox.Content, at date: @autoclosure () -> Int64
  ) -> (loop: any LoopDriver, isFirst: Bool, leftover: RunLoopTask?)? {
    attachment.withLock { attachment in
      guard let loop = attachment.loop, message.newTask == nil || door.load(ordering: .relaxed) == .open else {
        return nil
      }
      // The flag comes first: if the own thread reads a `count` that includes the task, it must find the flag set.
      let isFirst = !unread.exchange(true, ordering: .acquiringAndReleasing)
      if let task = message.newTask {
        task.isPosted = true
        task.beginPending()
      }
      message.forEachMode { attachment.attach($0) }
      return (loop, isFirst, attachment.mailbox.add(message, at: date()))
    }
  }

  /// Takes out the messages, and forgets that some are unread. On the loop's own thread.
  ///
  /// - Parameter body: is called with the lock held, and with all modes of the loop.
  func takeMessages<Result>(_ body: ([LoopMode]) -> Result) -> (Mailbox, Result) {
    attachment.withLock {
      unread.store(false, ordering: .releasing)
      return (exchange(&$0.mailbox, with: Mailbox()), body($0.modes))
    }
  }

  /// Calls `body` with the messages, which remain unread, and with all modes. It must not run user code.
  func withUnread<Result>(_ body: ([Mailbox.Message], [LoopMode]) -> Result) -> Result {
    attachment.withLock { body($0.mailbox.messages, $0.modes) }
  }

  // MARK: The door

  /// - Parameter isOwn: whether the calling code runs on the loop's own thread.
  func isOpen(toOwnThread isOwn: @autoclosure () -> Bool) -> Bool {
    switch door.load(ordering: .relaxed) {
    case .open: true
    case .closedToOtherThreads: isOwn()
    case .closed: false
    }
  }

  var isClosed: Bool { door.load(ordering: .relaxed) == .closed }

  func close(_ door: Door) { withLock { self.door.store(door, ordering: .relaxed) } }

  // MARK: Modes

  /// The number of a mode, which is observed from its first use on.
  ///
  /// - Parameter body: is called with the lock held, and with all modes of the loop.
  func id(of name: RunLoop.Mode, _ body: ([LoopMode]) -> Void) -> ModeID {
    attachment.withLock { attachment in
      let mode = attachment.mode(name)
      body(attachment.modes)
      return mode.id
    }
  }

  /// See `LoopAttachment.attach`.
  func attach(_ mode: ModeID) { attachment.withLock { $0.attach(mode) } }

  /// See `LoopAttachment.detach`.
  func detach(_ mode: LoopMode) -> Bool { attachment.withLock { $0.detach(mode) } }

  /// Notes that a mode is common, and keeps its runs alive: there may be tasks of `.common`.
  func noteCommon(_ mode: LoopMode) {
    attachment.withLock {
      mode.isCommon = true
      $0.attach(mode.id)
    }
  }

  // MARK: Sources

  var hasHadSources: Bool { hadSources.load(ordering: .relaxed) }

  /// The sources of users, and of a `RunLoopThread`. If another thread releases one meanwhile, no closure goes with it:
  /// it has taken them out before.
  var sources: [any SourceOwner] { attachment.withLock { $0.sources.map(\.owner) } }

  /// See `LoopAttachment.add`.
  func add(_ source: LoopSource, of owner: any SourceOwner, to mode: RunLoop.Mode) -> Bool {
    hadSources.store(true, ordering: .relaxed)
    return attachment.withLock { $0.add(source, of: owner, to: mode) }
  }

  /// See `LoopAttachment.remove`.
  func remove(
    _ source: LoopSource, of owner: any SourceOwner, from modes: [RunLoop.Mode], stayingIn others: [RunLoop.Mode]
  ) { attachment.withLock { $0.remove(source, of: owner, from: modes, stayingIn: others) } }

  // MARK: The end

  /// See `LoopAttachment.end`.
  func end() -> [any SourceOwner]? { attachment.withLock { $0.end() } }
}
