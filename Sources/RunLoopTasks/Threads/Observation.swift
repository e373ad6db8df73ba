import Foundation
import Synchronization

/// What a `RunLoopObserver` and its loop share. It belongs to the loop's own thread, but any thread may end it.
///
/// Only the own thread takes the observer off, because CoreFoundation reads an observer's callback without a lock:
///
///     another thread   invalidate()
///     own thread                   the next activity: takes itself off, releases the handler
final class Observation {
  private let valid = Atomic(true)
  private let scheduler: Scheduler
  private let modes: [RunLoop.Mode]
  private var handler: ((RunLoop.Activity) -> Void)?
  /// `nil` once it is off. It retains this object.
  private var observer: LoopObserver?

  init(
    of activities: RunLoop.Activity, _ scheduler: Scheduler, _ modes: [RunLoop.Mode], order: Int, repeats: Bool,
    _ handler: @escaping (RunLoop.Activity) -> Void
  ) {
    (self.scheduler, self.modes, self.handler) = (scheduler, modes.map(scheduler.spelling), handler)
    let observer = LoopObserver(activities, order: order) { [self] activity in
      let handler = isValid ? self.handler : nil
      if handler == nil || !repeats { takeOff() }
      handler?(activity)
    }
    self.observer = observer
    scheduler.add(self)
    for mode in self.modes { scheduler.loop?.add(observer, to: mode) }
    if !scheduler.hasLoop { takeOff() }
  }

  var isValid: Bool { valid.load(ordering: .acquiring) }

  func invalidate() {
    valid.store(false, ordering: .releasing)
    if scheduler.isCurrent { takeOff() }
  }

  /// Takes the observer off the loop, which must still exist. The release of the handler may run any code.
  func takeOff() {
    valid.store(false, ordering: .releasing)
    guard let observer = observer.take() else { return }
    for mode in modes { scheduler.loop?.remove(observer, from: mode) }
    scheduler.remove(self)
    _ = handler.take()
  }
}
