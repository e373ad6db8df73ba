import Foundation

// The sources and observers that users add to the loop. Threads change the loop only under the lock, so it cannot end
// meanwhile.
extension LoopAttachment {
  mutating func add(_ source: Registrations.Source, to mode: RunLoop.Mode) -> Bool {
    guard let loop else { return false }
    return registrations.add(source, to: mode, of: loop)
  }

  /// - Returns: whether the source is still in another mode; `nil` if it was not in `mode`.
  mutating func remove(_ owner: any SourceOwner, from mode: RunLoop.Mode) -> Bool? {
    guard let loop else { return nil }
    defer { loop.wakeUp() }  // the mode may be empty now
    return registrations.remove(owner, from: mode, of: loop)
  }

  mutating func remove(_ owner: any SourceOwner) -> Registrations.Source? {
    guard let loop else { return nil }
    defer { loop.wakeUp() }
    return registrations.remove(owner, of: loop)
  }

  mutating func add(_ observer: UserObserver, to modes: [RunLoop.Mode]) {
    if let loop { registrations.add(observer, to: modes, of: loop) }
  }

  mutating func remove(_ observer: UserObserver, from modes: [RunLoop.Mode]) {
    if let loop { registrations.remove(observer, from: modes, of: loop) }
  }
}
