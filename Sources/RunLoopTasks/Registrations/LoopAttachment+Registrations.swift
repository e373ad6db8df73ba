import Foundation

/// A `RunLoopSource` with commands of any type, or the jobs of a `RunLoopThread`.
protocol SourceOwner: AnyObject, Sendable {
  /// A loop has ended, and has removed the source from its modes.
  func loopHasEnded(_ registration: LoopAttachment.Registration)
}

// The sources and observers that users add to the loop.
//
// CoreFoundation does not allow one thread to remove an object while the loop ends on another thread. The package
// therefore removes objects only under the lock, and removes all of them before the system frees the loop.
extension LoopAttachment {
  /// A source, and the modes that it is in, or was until now.
  struct Registration {
    let source: LoopSource
    let owner: any SourceOwner
    let onCancel: (@Sendable (RunLoop.Mode) -> Void)?
    var modes: [RunLoop.Mode] = []
  }

  // MARK: Sources

  /// - Returns: whether the source was not in the mode before.
  mutating func add(_ registration: Registration, to mode: RunLoop.Mode) -> Bool {
    let key = ObjectIdentifier(registration.owner)
    guard let loop, sources[key]?.modes.contains(mode) != true else { return false }
    sources[key, default: registration].modes.append(mode)
    loop.add(registration.source, to: mode)
    return true
  }

  /// Takes a source out of a mode.
  ///
  /// - Returns: whether the source is still in another mode; `nil` if it was not in `mode`.
  mutating func remove(_ owner: any SourceOwner, from mode: RunLoop.Mode) -> Bool? {
    let key = ObjectIdentifier(owner)
    guard let loop, var left = sources[key], let index = left.modes.firstIndex(of: mode) else { return nil }
    loop.remove(left.source, from: mode)
    left.modes.remove(at: index)
    // The modes may overlap, as `.common` and `.default` do. Then the removal also affected another mode of the source.
    for mode in left.modes { loop.add(left.source, to: mode) }
    sources[key] = left.modes.isEmpty ? nil : left
    loop.wakeUp()  // the mode may be empty now
    return !left.modes.isEmpty
  }

  /// Takes a source out of all its modes.
  mutating func remove(_ owner: any SourceOwner) -> Registration? {
    guard let loop, let registration = sources.removeValue(forKey: ObjectIdentifier(owner)) else { return nil }
    for mode in registration.modes { loop.remove(registration.source, from: mode) }
    loop.wakeUp()
    return registration
  }

  // MARK: Observers

  /// - Returns: whether the loop has not ended.
  mutating func add(_ observer: UserObserver, to modes: [RunLoop.Mode]) -> Bool {
    guard let loop else { return false }
    observers[ObjectIdentifier(observer)] = observer
    for mode in modes { loop.add(observer.observer, to: mode) }
    return true
  }

  /// Takes an observer off the loop. Its handler is released later, without the lock.
  mutating func remove(_ observer: UserObserver, from modes: [RunLoop.Mode]) {
    guard let loop else { return }
    observers[ObjectIdentifier(observer)] = nil
    for mode in modes { loop.remove(observer.observer, from: mode) }
  }
}
