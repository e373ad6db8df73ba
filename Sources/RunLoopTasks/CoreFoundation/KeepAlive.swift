import CoreFoundation
import Foundation
import Synchronization

/// What the package has in one mode of a loop, or in the common modes, while tasks or unread messages may be there for it.
///
/// *Attached*, a source that does nothing keeps runs of the mode alive. *Due*, a timer wakes the loop from its next sleep in this mode,
/// and a run in another mode cannot use that up. A source keeps the mode alive because a timer that is due costs a real sleep
/// on Linux; a wake-up of the loop does not.
///
/// Guarded by the lock around `LoopAttachment`.
final class KeepAlive: @unchecked Sendable {
  // Unchecked, because the constants are CoreFoundation's and the variables are guarded by that lock.

  let mode: RunLoop.Mode
  let cfMode: CFMode
  private let source: LoopSource
  private var timer: CFRunLoopTimer?
  private(set) var isAttached = false
  /// Whether the package's observers were added to the mode.
  var isObserved = false
  /// Set while the source is being added; CoreFoundation then tells of the modes that it comes into.
  private let isAttaching = AtomicFlag()

  init(_ mode: RunLoop.Mode) {
    self.mode = mode
    cfMode = mode.cfMode
    guard mode == .common else {
      source = LoopSource()
      return
    }
    // If somebody makes a mode a common one, a run of it may be on its way to sleep. Nothing else tells of that.
    source = LoopSource(whenAdded: { [isAttaching] loop in
      guard !isAttaching.value.load(ordering: .relaxed) else { return }
      CFRunLoopWakeUp(loop)
      if loop === CFRunLoopGetCurrent() { Scheduler.withCurrent { $0.noteNewCommonMode() } }
    })
  }

  func attach(to loop: CFRunLoop) {
    isAttached = true
    isAttaching.value.store(true, ordering: .relaxed)
    CFRunLoopAddSource(loop, source.cf, cfMode)
    isAttaching.value.store(false, ordering: .relaxed)
  }

  func detach(from loop: CFRunLoop) {
    isAttached = false
    CFRunLoopRemoveSource(loop, source.cf, cfMode)
    removeTimer()
  }

  /// Lets the loop wake after some seconds from a sleep in this mode.
  ///
  /// A timer that is due already is replaced: CoreFoundation may have taken note of it without having fired it.
  func makeDue(on loop: CFRunLoop, after seconds: CFTimeInterval = 0) {
    removeTimer()
    let date = CFAbsoluteTimeGetCurrent() + seconds
    let timer = CFRunLoopTimerCreate(kCFAllocatorDefault, date, 0, 0, 0, { _, _ in }, nil)
    self.timer = timer
    CFRunLoopAddTimer(loop, timer, cfMode)
  }

  /// How many seconds it still is until the timer fires: none if it is about to, `nil` if it has fired or there is none.
  var secondsLeft: CFTimeInterval? {
    guard let timer, CFRunLoopTimerIsValid(timer) else { return nil }
    return max(0, CFRunLoopTimerGetNextFireDate(timer) - CFAbsoluteTimeGetCurrent())
  }

  func removeTimer() {
    if let timer { CFRunLoopTimerInvalidate(timer) }
    timer = nil
  }

  func invalidate() {
    source.invalidate()
    removeTimer()
  }
}

private final class AtomicFlag: Sendable {
  let value = Atomic(false)
}
