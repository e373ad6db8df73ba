import CoreFoundation
import Foundation

/// A mode of a `CFRunLoop` as the engine sees it: the source and the timer that keep its runs alive and awake.
///
/// If it is *attached*, a source that does nothing keeps runs of the mode alive. If it is *armed*, a timer ends the
/// next sleep in this mode, and a run in another mode cannot consume the timer, unless both are common modes. Where a
/// wake-up is enough, the engine prefers it: on Linux a timer costs a real sleep, and a wake-up does not.
final class SystemMode: HostMode, @unchecked Sendable {
  // Unchecked, because the constants are CoreFoundation's and the lock of `LoopAttachment` guards the variables.

  /// Unsafe, because nothing calls the mode once the loop has ended.
  private unowned(unsafe) let loop: SystemLoop
  private let name: RunLoop.Mode
  private let cfMode: CFMode
  private let source: LoopSource
  /// The timer of `arm`.
  private var timer: CFRunLoopTimer?
  /// What wakes the loop at the timer's date if another timer holds it up.
  private var substitute: (any DispatchSourceTimer)?

  init(_ name: RunLoop.Mode, _ loop: SystemLoop) {
    (self.name, self.loop) = (name, loop)
    cfMode = name.cfMode
    // If user code makes a mode a common mode, a run of that mode may be about to sleep. No other callback reveals the
    // change.
    let whenAdded = { [unowned loop] in loop.commonSourceWasAdded() }
    source = name == .common ? LoopSource(isCalledWhenAdded: true, perform: whenAdded) : LoopSource()
  }

  func observe() { loop.observe(cfMode, isCommon: name == .common) }

  var isCommon: Bool { loop.isCommon(cfMode) }

  func attach() { loop.attach(source, to: cfMode) }

  func detach() {
    CFRunLoopRemoveSource(loop.cf, source.cf, cfMode)
    removeAlarm()
  }

  /// A new timer replaces one that is already due, because CoreFoundation may have noticed the old one without firing
  /// it.
  func arm(after seconds: Double?) {
    removeAlarm()
    guard let seconds else { return }
    let date = CFAbsoluteTimeGetCurrent() + seconds
    guard let timer = CFRunLoopTimerCreate(kCFAllocatorDefault, date, 0, 0, 0, { _, _ in }, nil) else { return }
    CFRunLoopAddTimer(loop.cf, timer, cfMode)
    self.timer = timer
    guard seconds > 0, isHeldUp else { return }
    let substitute = DispatchSource.makeTimerSource()
    substitute.setEventHandler { [loop] in loop.wakeUp() }
    substitute.schedule(deadline: .now() + seconds)
    substitute.resume()
    self.substitute = substitute
  }

  /// A timer of the mode is due that cannot fire, because this run is nested in its callback or before it. On
  /// Linux such a timer holds up all later ones.
  private var isHeldUp: Bool {
    let date = CFRunLoopGetNextTimerFireDate(loop.cf, cfMode)
    return dueTimersHoldUpLaterOnes && date != 0 && date <= CFAbsoluteTimeGetCurrent()
  }

  private func removeAlarm() {
    guard let timer = timer.take() else { return }
    CFRunLoopRemoveTimer(loop.cf, timer, cfMode)  // else CoreFoundation would look for it in all modes
    CFRunLoopTimerInvalidate(timer)
    substitute.take()?.cancel()
  }

  func end() {
    source.invalidate()
    removeAlarm()
  }
}
