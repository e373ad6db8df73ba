import CoreFoundation
import Foundation

/// The sources and observers that the package's users have added to a loop. Guarded by the scheduler's lock.
///
/// CoreFoundation's objects are not safe against the end of a loop on another thread. So they are taken off a loop only under the lock,
/// and a loop that ends takes all of them off before it is freed.
struct Registrations {
  /// A source, and the modes that it is in, or was until now.
  struct Source {
    let registration: SourceRegistration
    let owner: any SourceOwner
    let onCancel: (@Sendable (RunLoop.Mode) -> Void)?
    var modes: [RunLoop.Mode] = []
  }

  private var sources: [ObjectIdentifier: Source] = [:]
  private var observers: [ObjectIdentifier: UserObserver] = [:]

  // MARK: Sources

  /// - Returns: whether it was not in that mode before.
  mutating func add(_ source: Source, to mode: RunLoop.Mode, of loop: CFRunLoop) -> Bool {
    let key = ObjectIdentifier(source.owner)
    guard sources[key]?.modes.contains(mode) != true else { return false }
    sources[key, default: source].modes.append(mode)
    source.registration.add(to: mode, of: loop)
    return true
  }

  /// Takes a source out of a mode.
  ///
  /// - Returns: whether it still is in another mode; `nil` if it was not in that one.
  mutating func remove(_ owner: any SourceOwner, from mode: RunLoop.Mode, of loop: CFRunLoop) -> Bool? {
    let key = ObjectIdentifier(owner)
    guard var source = sources[key], let index = source.modes.firstIndex(of: mode) else { return nil }
    source.registration.remove(from: mode, of: loop)
    source.modes.remove(at: index)
    // The other modes may overlap with that one, as `.common` does: then the source was taken out of them, too.
    for mode in source.modes { source.registration.add(to: mode, of: loop) }
    sources[key] = source.modes.isEmpty ? nil : source
    return !source.modes.isEmpty
  }

  /// Takes a source out of all its modes.
  mutating func remove(_ owner: any SourceOwner, of loop: CFRunLoop) -> Source? {
    guard let source = sources.removeValue(forKey: ObjectIdentifier(owner)) else { return nil }
    for mode in source.modes { source.registration.remove(from: mode, of: loop) }
    return source
  }

  // MARK: Observers

  mutating func add(_ observer: UserObserver, to modes: [RunLoop.Mode], of loop: CFRunLoop) {
    observers[ObjectIdentifier(observer)] = observer
    for mode in modes { CFRunLoopAddObserver(loop, observer.observer.cf, mode.cfMode) }
  }

  /// Takes an observer off the loop. Its handler is released later, without the lock.
  mutating func remove(_ observer: UserObserver, from modes: [RunLoop.Mode], of loop: CFRunLoop) {
    observers[ObjectIdentifier(observer)] = nil
    for mode in modes { CFRunLoopRemoveObserver(loop, observer.observer.cf, mode.cfMode) }
  }

  /// Takes all off the loop.
  mutating func removeAll(of loop: CFRunLoop) -> (sources: [Source], observers: [UserObserver]) {
    for source in sources.values {
      for mode in source.modes { source.registration.remove(from: mode, of: loop) }
    }
    defer { (sources, observers) = ([:], [:]) }
    return (Array(sources.values), Array(observers.values))
  }
}

/// A `RunLoopSource` in one loop. Each loop has a signal of its own, so that no loop can use up that of another.
struct SourceRegistration: Sendable {
  let source: LoopSource
  /// Checks before each sleep of the loop whether commands are left.
  let watch: LoopObserver

  func add(to mode: RunLoop.Mode, of loop: CFRunLoop) {
    CFRunLoopAddSource(loop, source.cf, mode.cfMode)
    CFRunLoopAddObserver(loop, watch.cf, mode.cfMode)
  }

  func remove(from mode: RunLoop.Mode, of loop: CFRunLoop) {
    CFRunLoopRemoveSource(loop, source.cf, mode.cfMode)
    CFRunLoopRemoveObserver(loop, watch.cf, mode.cfMode)
  }
}

/// A `RunLoopSource` of any commands.
protocol SourceOwner: AnyObject, Sendable {
  /// A loop has ended, and has removed the source from its modes.
  func loopHasEnded(_ scheduler: Scheduler, _ source: Registrations.Source)
}
