import CoreFoundation
import Foundation
import Synchronization

/// The source and the timer that keep runs alive and awake in one mode of a loop, or in the common modes, while tasks
/// or unread messages may be there for the mode.
///
/// If it is *attached*, a source that does nothing keeps runs of the mode alive. If it is *due*, a timer wakes the loop
/// from its next sleep in this mode, and a run in another mode cannot use up the timer. The timer alone would not do,
/// because on Linux a due timer costs a real sleep and a wake-up of the loop does not.
///
/// The lock around `LoopAttachment` guards it.
final class KeepAlive: @unchecked Sendable {
  // Unchecked, because the constants are CoreFoundation's and the variables are guarded by that lock.

  let mode: RunLoop.Mode
  let cfMode: CFMode
  private let source: LoopSource
  private var timer: CFRunLoopTimer?
  private(set) var isAttached = false
  /// Whether the package's observers were added to the mode.
  var isObserved = false
  /// Set while `attach` adds the source. CoreFoundation then calls `whenAdded` for modes that are already common modes.
  private let isAttaching = AtomicFlag()

  init(_ mode: RunLoop.Mode) {
    self.mode = mode
    cfMode = mode.cfMode
    guard mode == .common else {
      source = LoopSource()
      return
    }
    // If user code makes a mode a common mode, a run of that mode may be about to sleep. No other callback reveals the
    // change.
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

  /// Makes the loop wake from a sleep in this mode after some seconds.
  ///
  /// A new timer replaces one that is already due, because CoreFoundation may have noticed the old one without firing
  /// it.
  func makeDue(on loop: CFRunLoop, after seconds: CFTimeInterval = 0) {
    removeTimer()
    let date = CFAbsoluteTimeGetCurrent() + seconds
    let timer = CFRunLoopTimerCreate(kCFAllocatorDefault, date, 0, 0, 0, { _, _ in }, nil)
    self.timer = timer
    CFRunLoopAddTimer(loop, timer, cfMode)
  }

  /// The seconds until the timer fires: zero if it is due, `nil` if it has fired or there is none.
  var secondsLeft: CFTimeInterval? {
    timerDate.map { max(0, $0 - CFAbsoluteTimeGetCurrent()) }
  }

  /// When the timer fires, `nil` if it has fired or there is none.
  var timerDate: CFAbsoluteTime? {
    timer.flatMap { CFRunLoopTimerIsValid($0) ? CFRunLoopTimerGetNextFireDate($0) : nil }
  }

  /// Calls `body` while the timer is out of its mode.
  func withoutTimer<Result>(on loop: CFRunLoop, _ body: () -> Result) -> Result {
    guard let timer, CFRunLoopTimerIsValid(timer) else { return body() }
    CFRunLoopRemoveTimer(loop, timer, cfMode)
    defer { CFRunLoopAddTimer(loop, timer, cfMode) }
    return body()
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
