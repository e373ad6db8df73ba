import CoreFoundation
import Foundation
import Synchronization

/// What is attached to the loop, and what other threads have sent to it. Every access holds the scheduler's lock.
///
/// A mode in which tasks are pending is *held*: a source in it keeps its runs alive, and all observers are in it. After
/// some passes without tasks the observer of `beforeWaiting` alone stays in that mode and in the common modes. It costs a run next to nothing, reads mail,
/// and sees to it that what other observers of that activity schedule still runs in the same pass. Before its first task a mode
/// is not observed at all.
///
/// CoreFoundation never calls out while it adds, removes or wakes, so it may be called under the lock. On other threads than the
/// loop's own it must be, or under the scheduler's bell: when the loop ends, they make it wait until nobody uses it any more.
struct Attachment {
  /// `nil` once the loop has ended.
  private(set) var loop: CFRunLoop?
  private var mail: [Mail] = []
  private let common: ModeAnchor
  private var anchors: [RunLoop.Mode: ModeAnchor]
  private(set) var held: [ModeAnchor] = []
  private var heldByMail: [ModeAnchor] = []
  private var lastModesOfMail: [RunLoop.Mode] = []
  private var restingObservers: [LoopObserver] = []
  private(set) var observers: [LoopObserver] = []
  private var guests = Guests()

  init(_ loop: CFRunLoop?) {
    self.loop = loop
    common = ModeAnchor(.common)
    anchors = [.common: common]
  }

  mutating func anchor(of mode: RunLoop.Mode) -> ModeAnchor {
    if let anchor = anchors[mode] { return anchor }
    let anchor = ModeAnchor(mode)
    anchors[mode] = anchor
    return anchor
  }

  // MARK: Mail

  /// What has become of mail.
  enum Receipt {
    /// The loop has ended.
    case refused
    case taken
    /// And the loop is to be woken, to read it.
    case mustWake
  }

  /// Takes `new` in for the loop's thread.
  mutating func post(_ new: Mail) -> Receipt {
    guard loop != nil else { return .refused }
    var mustWake = mail.isEmpty
    let modes = new.modes
    // Mostly all mail is for the same modes.
    for mode in modes where modes != lastModesOfMail {
      let anchor = anchor(of: mode)
      guard !anchor.holders.contains(.mail) else { continue }
      if hold(anchor, for: .mail) { mustWake = true }
      heldByMail.append(anchor)
    }
    if !modes.isEmpty { lastModesOfMail = modes }
    mail.append(new)
    // One wake-up for all that comes until the mail is read, and one for each mode that was not observed until now: a run that
    // sleeps there has not heard the first. Should one be lost, because the loop is not inside a run or another run consumes it,
    // then the mail is found at the next activity and the loop woken again before it sleeps.
    return mustWake ? .mustWake : .taken
  }

  /// The tasks among the mail.
  var posts: [Post] { mail.compactMap(\.post) }

  mutating func takeMail() -> [Mail] {
    defer { mail = [] }
    return mail
  }

  /// Lets go of what was held for mail that has been read.
  ///
  /// - Returns: whether a mode may have become empty by it.
  mutating func releaseMail() -> Bool {
    guard mail.isEmpty else { return false }
    defer { (heldByMail, lastModesOfMail) = ([], []) }
    return heldByMail.reduce(false) { release($1, for: .mail) || $0 }
  }

  // MARK: Modes

  /// Keeps runs in the anchor's mode alive and observed.
  ///
  /// - Returns: whether the mode was not observed before.
  @discardableResult
  mutating func hold(_ anchor: ModeAnchor, for holder: ModeAnchor.Holders) -> Bool {
    guard let loop else { return false }
    defer { anchor.holders.insert(holder) }
    guard anchor.holders.isEmpty else { return false }
    let isNew = !anchor.isObserved
    if isNew {
      anchor.isObserved = true
      held.append(anchor)
      for observer in restingObservers {
        CFRunLoopAddObserver(loop, observer.cf, common.cfMode)
        CFRunLoopAddObserver(loop, observer.cf, anchor.cfMode)
      }
      for observer in observers { CFRunLoopAddObserver(loop, observer.cf, anchor.cfMode) }
    }
    anchor.addSource(to: loop)
    return isNew
  }

  /// Takes back a `hold`.
  ///
  /// - Returns: whether a mode may have become empty by it.
  mutating func release(_ anchor: ModeAnchor, for holder: ModeAnchor.Holders) -> Bool {
    guard let loop else { return false }
    anchor.holders.remove(holder)
    guard anchor.holders.isEmpty else { return false }
    CFRunLoopRemoveSource(loop, anchor.source.cf, anchor.cfMode)
    return true
  }

  /// Leaves the anchor's mode to the resting observer if nothing holds it.
  mutating func rest(_ anchor: ModeAnchor) {
    guard let loop, anchor.isObserved, anchor.holders.isEmpty else { return }
    anchor.isObserved = false
    held.removeAll { $0 === anchor }
    for observer in observers { CFRunLoopRemoveObserver(loop, observer.cf, anchor.cfMode) }
    // A mode can be both held itself and one of the common modes, but an observer is in it only once.
    for anchor in held { observers.forEach { CFRunLoopAddObserver(loop, $0.cf, anchor.cfMode) } }
  }

  // MARK: Observers

  mutating func add(_ observer: LoopObserver, isResting: Bool) {
    if isResting { restingObservers.append(observer) } else { observers.append(observer) }
    guard let loop else { return }
    for anchor in held { CFRunLoopAddObserver(loop, observer.cf, anchor.cfMode) }
  }

  mutating func remove(_ observer: LoopObserver) {
    observers.removeAll { $0.cf === observer.cf }
    observer.invalidate()
  }

  // MARK: What users add

  mutating func add(_ guest: Guests.Source, to mode: RunLoop.Mode) -> Bool {
    guard let loop else { return false }
    return guests.add(guest, to: mode, of: loop)
  }

  /// - Returns: whether it still is in another mode; `nil` if it was not in that one.
  mutating func remove(_ owner: any SourceOwner, from mode: RunLoop.Mode) -> Bool? {
    guard let loop else { return nil }
    defer { wake() }  // the mode may be empty now
    return guests.remove(owner, from: mode, of: loop)
  }

  mutating func remove(_ owner: any SourceOwner) -> Guests.Source? {
    guard let loop else { return nil }
    defer { wake() }
    return guests.remove(owner, of: loop)
  }

  mutating func add(_ observation: Observation, to modes: [RunLoop.Mode]) {
    if let loop { guests.add(observation, to: modes, of: loop) }
  }

  mutating func remove(_ observation: Observation, from modes: [RunLoop.Mode]) {
    if let loop { guests.remove(observation, from: modes, of: loop) }
  }

  // MARK: The end

  /// Takes everything off the loop.
  ///
  /// - Returns: the mail that was not read, and what users had added.
  mutating func end() -> (mail: [Mail], sources: [Guests.Source], observations: [Observation]) {
    let left = loop.map { guests.removeAll(of: $0) }
    (restingObservers + observers).forEach { $0.invalidate() }
    anchors.values.forEach { $0.source.invalidate() }
    (restingObservers, observers, held, heldByMail, anchors, loop) = ([], [], [], [], [:], nil)
    return (takeMail(), left?.sources ?? [], left?.observations ?? [])
  }

  func wake() {
    if let loop { CFRunLoopWakeUp(loop) }
  }
}

/// What the package has in one mode of a loop. Guarded by the scheduler's lock.
final class ModeAnchor: @unchecked Sendable {
  // Unchecked, because the constants are CoreFoundation's and the variables are guarded by the scheduler's lock.

  /// On whose behalf a mode is held.
  struct Holders: OptionSet {
    let rawValue: UInt8
    /// Tasks are pending in it.
    static let lanes = Holders(rawValue: 1)
    /// Mail that names it has not been read.
    static let mail = Holders(rawValue: 2)
  }

  let cfMode: CFMode
  let source: LoopSource
  var holders: Holders = []
  /// Whether all observers are in the mode.
  var isObserved = false
  private let isAddingSource = Flag()

  init(_ mode: RunLoop.Mode) {
    cfMode = mode.cfMode
    guard mode == .common else {
      source = LoopSource()
      return
    }
    // If somebody makes a mode a common one, a run of it may be under way, on its way to sleep, and nothing else tells of either.
    source = LoopSource(whenAdded: { [isAddingSource] loop in
      guard !isAddingSource.isSet.load(ordering: .relaxed) else { return }
      CFRunLoopWakeUp(loop)
      if loop === CFRunLoopGetCurrent() { Scheduler.withCurrent { $0.hearOfNewCommonMode() } }
    })
  }

  func addSource(to loop: CFRunLoop) {
    isAddingSource.isSet.store(true, ordering: .relaxed)
    CFRunLoopAddSource(loop, source.cf, cfMode)
    isAddingSource.isSet.store(false, ordering: .relaxed)
  }
}

/// Something that any thread may ask.
private final class Flag: Sendable {
  let isSet = Atomic(false)
}
