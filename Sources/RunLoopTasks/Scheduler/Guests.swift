import CoreFoundation
import Foundation

/// The sources and observers that the package's users have added to a loop. Guarded by the scheduler's lock.
///
/// CoreFoundation's objects are not safe against the end of a loop on another thread. So whoever takes one off a loop, or wakes
/// that, does it under the lock; and a loop that ends takes leave of them all before it is freed.
struct Guests {
  /// A source, and modes that it is in, or was until now.
  struct Source {
    let source: LoopSource
    let owner: any SourceOwner
    let onCancel: (@Sendable (RunLoop.Mode) -> Void)?
    var modes: [RunLoop.Mode] = []

    /// Says that it was taken out of its modes. Not under a lock: this is user code.
    func hasLeft() {
      for mode in modes { onCancel?(mode) }
    }
  }

  private var sources: [ObjectIdentifier: Source] = [:]
  private var observers: [ObjectIdentifier: LoopObserver] = [:]

  // MARK: Sources

  /// - Returns: whether it was not in that mode before.
  mutating func add(_ guest: Source, to mode: RunLoop.Mode, of loop: CFRunLoop) -> Bool {
    let key = ObjectIdentifier(guest.owner)
    guard sources[key]?.modes.contains(mode) != true else { return false }
    sources[key, default: guest].modes.append(mode)
    CFRunLoopAddSource(loop, guest.source.cf, mode.cfMode)
    return true
  }

  /// Takes a source out of a mode.
  ///
  /// - Returns: what was there, and whether it still is in another mode; `nil` if it was not in that one.
  mutating func remove(
    _ owner: any SourceOwner, from mode: RunLoop.Mode, of loop: CFRunLoop
  ) -> (guest: Source, isElsewhere: Bool)? {
    let key = ObjectIdentifier(owner)
    guard var guest = sources[key], let index = guest.modes.firstIndex(of: mode) else { return nil }
    CFRunLoopRemoveSource(loop, guest.source.cf, mode.cfMode)
    guest.modes.remove(at: index)
    // One of the others may be a common mode, or all of them: what is taken out here was taken out there.
    for mode in guest.modes { CFRunLoopAddSource(loop, guest.source.cf, mode.cfMode) }
    sources[key] = guest.modes.isEmpty ? nil : guest
    let isElsewhere = !guest.modes.isEmpty
    guest.modes = [mode]
    return (guest, isElsewhere)
  }

  /// Takes a source out of all its modes.
  mutating func remove(_ owner: any SourceOwner, of loop: CFRunLoop) -> Source? {
    guard let guest = sources.removeValue(forKey: ObjectIdentifier(owner)) else { return nil }
    for mode in guest.modes { CFRunLoopRemoveSource(loop, guest.source.cf, mode.cfMode) }
    return guest
  }

  // MARK: Observers

  mutating func add(_ observer: LoopObserver, to modes: [RunLoop.Mode], of loop: CFRunLoop) {
    observers[ObjectIdentifier(observer.cf)] = observer
    for mode in modes { CFRunLoopAddObserver(loop, observer.cf, mode.cfMode) }
  }

  /// Takes an observer off the loop; to invalidate it is for later, as that lets go of its closure.
  mutating func remove(_ observer: LoopObserver, from modes: [RunLoop.Mode], of loop: CFRunLoop) {
    observers[ObjectIdentifier(observer.cf)] = nil
    for mode in modes { CFRunLoopRemoveObserver(loop, observer.cf, mode.cfMode) }
  }

  /// Takes all off the loop.
  mutating func removeAll(of loop: CFRunLoop) -> (sources: [Source], observers: [LoopObserver]) {
    for guest in sources.values {
      for mode in guest.modes { CFRunLoopRemoveSource(loop, guest.source.cf, mode.cfMode) }
    }
    defer { (sources, observers) = ([:], [:]) }
    return (Array(sources.values), Array(observers.values))
  }
}

/// One who is told that a loop has ended.
protocol SourceOwner: AnyObject, Sendable {
  func loopHasEnded(_ scheduler: Scheduler)
}
