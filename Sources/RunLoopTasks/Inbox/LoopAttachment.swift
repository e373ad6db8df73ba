import Foundation

/// What is attached to a loop, and what other threads have sent. The inbox keeps it behind its lock.
///
/// The methods call the loop, whose own lock CoreFoundation then takes under this one. It calls no closure of a user
/// meanwhile. The other order occurs only where it calls a user's `schedule` or `cancel` with its lock held, as when a
/// mode becomes common: such a callback must not use the package (see the article *Limitations*).
struct LoopAttachment {
  /// `nil` once the loop has ended.
  private(set) var loop: (any LoopDriver)?
  var mailbox = Mailbox()
  /// All modes that the package has met, in the order of their numbers. They remain as long as the scheduler.
  private(set) var modes: [LoopMode] = []
  /// What users, and a `RunLoopThread` for its jobs, have added to the loop.
  private(set) var sources: [(owner: any SourceOwner, source: LoopSource)] = []
  /// Does nothing. While it is in a mode, CoreFoundation does not find the mode empty.
  private let keeper = LoopSource()

  init(_ loop: (any LoopDriver)?) { self.loop = loop }

  // MARK: Modes

  /// A mode, which is observed from its first use on.
  mutating func mode(_ name: RunLoop.Mode) -> LoopMode {
    if let mode = modes.first(where: { $0.name == name }) { return mode }
    let mode = LoopMode(name, ModeID(index: UInt32(modes.count)))
    modes.append(mode)
    loop?.observe(name)
    return mode
  }

  // `attach` and `detach` are `mutating` because Swift would copy the whole value for them otherwise.

  /// Keeps runs of a mode alive. For `.common`, those of all modes that are known to be common. In the other common
  /// modes is the loop's probe.
  mutating func attach(_ id: ModeID) {
    let mode = modes[Int(id.index)]
    guard !mode.isAttached, let loop else { return }
    if id == .common { modes.forEach { if $0.isCommon { attach($0.id) } } } else { loop.add(keeper, to: mode.name) }
    mode.isAttached = true
  }

  /// Detaches a mode to which no task belongs, unless messages are unread, which may have tasks for it.
  ///
  /// - Returns: whether it was detached.
  mutating func detach(_ mode: LoopMode) -> Bool {
    guard let loop, mailbox.isEmpty else { return false }
    mode.isAttached = false
    if mode.isCommon { modes[Int(ModeID.common.index)].isAttached = false }
    loop.remove(keeper, from: mode.name)
    return true
  }

  // MARK: Sources

  // CoreFoundation does not allow one thread to remove an object while the loop ends on another thread. The package
  // therefore removes sources of users only under the lock, and removes all of them before the system frees the loop.

  /// - Returns: whether the loop has not ended.
  mutating func add(_ source: LoopSource, of owner: any SourceOwner, to mode: RunLoop.Mode) -> Bool {
    guard let loop else { return false }
    if !sources.contains(where: { $0.owner === owner }) { sources.append((owner, source)) }
    loop.add(source, to: mode)
    return true
  }

  /// Takes a source out of modes.
  ///
  /// - Parameter others: all other modes that it is in.
  mutating func remove(
    _ source: LoopSource, of owner: any SourceOwner, from modes: [RunLoop.Mode], stayingIn others: [RunLoop.Mode]
  ) {
    guard let loop else { return }
    for mode in modes { loop.remove(source, from: mode) }
    // The modes may overlap, as `.common` and `.default` do. Then the removal also affected another mode of the source.
    for mode in others { loop.add(source, to: mode) }
    if others.isEmpty { sources.removeAll { $0.owner === owner } }
    loop.wakeUp()  // the mode may be empty now
  }

  // MARK: The end

  /// Removes everything from the loop.
  ///
  /// - Returns: the sources of users; `nil` if the loop has already ended.
  mutating func end() -> [any SourceOwner]? {
    guard let loop else { return nil }
    defer { (self.loop, sources) = (nil, []) }
    for source in sources.map(\.source) + [keeper] { source.invalidate() }
    loop.end()
    return sources.map(\.owner)
  }
}
