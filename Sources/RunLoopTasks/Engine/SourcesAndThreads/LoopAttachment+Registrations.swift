import Foundation

/// A `RunLoopSource` with commands of any type.
protocol SourceOwner: AnyObject, Sendable {
  var order: Int { get }
  /// A pass would deliver commands now.
  var isReady: Bool { get }
  /// Signals the source if it is ready and in one of some modes.
  ///
  /// - Returns: whether it was signalled.
  func signalIfReady(in modes: [RunLoop.Mode]) -> Bool
  /// Delivers the commands that wait now, if the source is in the default mode or the common modes.
  ///
  /// - Parameter isLast: whether the source accepts no more commands and ends.
  func drain(_ scheduler: Scheduler, isLast: Bool)
  /// The loop that the source was in has ended, and the source ends with it.
  ///
  /// - Returns: the number of commands that are dropped.
  func loopHasEnded(_ scheduler: Scheduler) -> Int
}

// The sources and observers that users add to the loop.
//
// CoreFoundation does not allow one thread to remove an object while the loop ends on another thread. The package
// therefore removes objects of users only under the lock, and removes all of them before the system frees the loop.
extension LoopAttachment {
  // MARK: Sources

  /// - Returns: whether the loop has not ended.
  mutating func add(_ source: LoopSource, of owner: any SourceOwner, to mode: RunLoop.Mode) -> Bool {
    guard let loop else { return false }
    sources[ObjectIdentifier(owner)] = (owner, source)
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
    if others.isEmpty { sources[ObjectIdentifier(owner)] = nil }
    loop.wakeUp()  // the mode may be empty now
  }

  // MARK: Observers

  /// - Returns: whether the loop has not ended.
  mutating func add(_ observer: LoopObserver, _ handler: ObserverHandler, to modes: [RunLoop.Mode]) -> Bool {
    guard let loop else { return false }
    observers[ObjectIdentifier(handler)] = (handler, observer)
    for mode in modes { loop.add(observer, to: mode) }
    return true
  }

  /// Takes an observer off the loop. Its handler is released later, without the lock.
  mutating func remove(_ observer: LoopObserver, _ handler: ObserverHandler, from modes: [RunLoop.Mode]) {
    guard let loop else { return }
    observers[ObjectIdentifier(handler)] = nil
    for mode in modes { loop.remove(observer, from: mode) }
  }
}

/// The handler of a user's observer, which is called on the loop's own thread only; `nil` once the observation has
/// ended.
///
/// In an object. Swift would wrap a closure anew each time that generic code such as `withLock` passes it on as
/// `inout`, and each call would go through all the wrappers.
typealias ObserverHandler = Locked<CallbackBox?>

extension ObserverHandler {
  /// Releases the handler without the lock, because the release may run any code. An unused value may be released
  /// earlier, while the lock is still held.
  func end() { withExtendedLifetime(withLock { $0.take() }) {} }
}
