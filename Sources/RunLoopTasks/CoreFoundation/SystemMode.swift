import CoreFoundation
import Foundation
import Synchronization

/// A mode of a `CFRunLoop` as the engine sees it: the source and the timer that keep its runs alive and awake.
///
/// If it is *attached*, a source that does nothing keeps runs of the mode alive. If it is *due*, a timer ends the next
/// sleep in this mode, and a run in another mode cannot use up the timer. The timer alone would not do, because on Linux
/// a due timer costs a real sleep and a wake-up of the loop does not.
final class SystemMode: HostMode, @unchecked Sendable {
  // Unchecked, because the constants are CoreFoundation's and the lock of `LoopAttachment` guards the variables.

  private unowned let loop: SystemLoop
  private let name: RunLoop.Mode
  private let cfMode: CFMode
  private let source: LoopSource
  private var timer: CFRunLoopTimer?
  /// Wakes the loop at the date of the timer, if another timer holds it up.
  private var substitute: (any DispatchSourceTimer)?
  /// Set while `attach` adds the source. CoreFoundation then calls `whenAdded` for modes that are already common modes.
  private let isAttaching = AtomicFlag()

  init(_ name: RunLoop.Mode, _ loop: SystemLoop) {
    (self.name, self.loop) = (name, loop)
    cfMode = name.cfMode
    guard name == .common else {
      source = LoopSource()
      return
    }
    // If user code makes a mode a common mode, a run of that mode may be about to sleep. No other callback reveals the
    // change.
    source = LoopSource(whenAdded: { [isAttaching, unowned loop] _ in
      if !isAttaching.value.load(ordering: .relaxed) { loop.modeHasBecomeCommon() }
    })
  }

  func observe() { loop.observe(cfMode, isCommon: name == .common) }

  var isCommon: Bool { loop.isCommon(cfMode) }

  func attach() {
    isAttaching.value.store(true, ordering: .relaxed)
    CFRunLoopAddSource(loop.cf, source.cf, cfMode)
    isAttaching.value.store(false, ordering: .relaxed)
  }

  func detach() {
    CFRunLoopRemoveSource(loop.cf, source.cf, cfMode)
    removeTimer()
  }

  /// A new timer replaces one that is already due, because CoreFoundation may have noticed the old one without firing
  /// it.
  func makeDue(after seconds: Double) {
    removeTimer()
    let date = CFAbsoluteTimeGetCurrent() + seconds
    let timer = CFRunLoopTimerCreate(kCFAllocatorDefault, date, 0, 0, 0, { _, _ in }, nil)
    self.timer = timer
    CFRunLoopAddTimer(loop.cf, timer, cfMode)
    if seconds > 0, isHeldUp { setSubstitute(after: seconds) }
  }

  /// Whether a timer of the mode is due that cannot fire, because this run is nested in its callback or before it. On
  /// Linux such a timer holds up all later ones.
  private var isHeldUp: Bool {
    let date = CFRunLoopGetNextTimerFireDate(loop.cf, cfMode)
    return dueTimersHoldUpLaterOnes && date != 0 && date <= CFAbsoluteTimeGetCurrent()
  }

  private func setSubstitute(after seconds: Double) {
    let substitute = DispatchSource.makeTimerSource()
    substitute.setEventHandler { [weak loop] in loop?.wakeUp() }
    substitute.schedule(deadline: .now() + seconds)
    substitute.resume()
    self.substitute = substitute
  }

  /// The seconds until the timer fires: zero if it is due, `nil` if it has fired or there is none.
  var secondsLeft: Double? {
    guard let timer, CFRunLoopTimerIsValid(timer) else { return nil }
    return max(0, CFRunLoopTimerGetNextFireDate(timer) - CFAbsoluteTimeGetCurrent())
  }

  private func removeTimer() {
    if let timer { CFRunLoopTimerInvalidate(timer) }
    timer = nil
    substitute?.cancel()
    substitute = nil
  }

  func invalidate() {
    source.invalidate()
    removeTimer()
  }
}

private final class AtomicFlag: Sendable {
  let value = Atomic(false)
}
