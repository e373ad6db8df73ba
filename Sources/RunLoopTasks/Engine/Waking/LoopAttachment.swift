import Foundation
import Synchronization

/// What is attached to a loop, and the messages of other threads. The scheduler keeps it behind a lock.
///
/// The methods call the loop, whose own lock CoreFoundation then takes under this one. It calls no closure of a user
/// meanwhile. The other order occurs only where it calls a user's `schedule` or `cancel` with its lock held, as when a
/// mode becomes common: such a callback must not use the package (see the article *Limitations*).
struct LoopAttachment {
  /// `nil` once the loop has ended.
  private(set) var loop: (any EngineLoop)?
  var mailbox = Mailbox()
  /// What users, and a `RunLoopThread` for its jobs, have added to the loop. Besides `end`, only
  /// `LoopAttachment+Registrations` changes these.
  var sources: [ObjectIdentifier: (owner: any SourceOwner, source: LoopSource)] = [:]
  var observers: [ObjectIdentifier: (handler: ObserverHandler, observer: LoopObserver)] = [:]

  /// All modes that the package has met, in the order of their numbers. They remain as long as the scheduler.
  private(set) var modes: [LoopMode] = []
  private var modesByName: [RunLoop.Mode: LoopMode] = [:]
  /// Does nothing. While it is in a mode, CoreFoundation does not find the mode empty.
  private let keeper = LoopSource()

  init(_ loop: (any EngineLoop)?) { self.loop = loop }

  // MARK: Modes

  /// A mode, which is observed from its first use on.
  mutating func mode(_ name: RunLoop.Mode) -> LoopMode {
    if let mode = modesByName[name] { return mode }
    let mode = LoopMode(name, ModeID(index: UInt32(modes.count)))
    modes.append(mode)
    modesByName[name] = mode
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

  // MARK: The end

  /// Removes everything from the loop.
  ///
  /// - Returns: the sources and observers of users; `nil` if the loop has already ended.
  mutating func end() -> (sources: [any SourceOwner], observers: [(ObserverHandler, LoopObserver)])? {
    guard let loop else { return nil }
    defer { (self.loop, sources, observers) = (nil, [:], [:]) }
    for source in sources.values.map(\.source) + [keeper] { source.invalidate() }
    loop.end()
    return (sources.values.map(\.owner), observers.values.map { ($0.handler, $0.observer) })
  }
}

/// A mode of a loop, or the common modes.
///
/// A loop never loses a mode, and neither does its scheduler.
final class LoopMode: @unchecked Sendable {
  // Unchecked, because `tasks` belongs to the loop's own thread. So does `isCommon`, but that thread changes it with
  // the lock, and others read it with the lock.

  let name: RunLoop.Mode
  let id: ModeID
  // Exclusivity is not checked at run time, as in `Scheduler`.
  @exclusivity(unchecked) var tasks = ModeTasks()
  /// The mode is known to be common. It then remains common.
  var isCommon: Bool
  /// The mode has the keeper, because tasks or unread messages may be there for its runs. For `.common`: all modes that
  /// are known to be common have it.
  ///
  /// Any thread attaches, and only the loop's own thread detaches, both with the lock. That thread may rely on `true`
  /// without the lock: the keeper comes into the mode before `true` is stored.
  ///
  ///     sender        lock ─ keeper ─ true ─ unlock
  ///     own thread                      └ schedules without the lock, and runs the loop
  private let attached = Atomic(false)

  init(_ name: RunLoop.Mode, _ id: ModeID) { (self.name, self.id, isCommon) = (name, id, id == .default) }

  fileprivate(set) var isAttached: Bool {
    get { attached.load(ordering: .acquiring) }
    set { attached.store(newValue, ordering: .releasing) }
  }
}
