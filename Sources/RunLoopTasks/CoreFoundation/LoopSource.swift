import CoreFoundation
import Foundation

/// A version 0 source of a run loop that calls a Swift closure when it was signalled.
///
/// It keeps the runs of its modes alive, and a source without a closure serves only that purpose. CoreFoundation's
/// source owns the closure until the source is freed, even if it is invalidated before.
///
/// A nested run may use up the wake-up that was meant for the source. An observer can therefore look before each sleep
/// whether work is left.
struct LoopSource: @unchecked Sendable {
  // Unchecked, because CoreFoundation guards the object by a lock of its own.
  let cf: CFRunLoopSource
  let watch: LoopObserver?

  /// - Parameters:
  ///   - isCalledWhenAdded: whether CoreFoundation calls the closure whenever the source comes into a mode, too, even
  ///     because the mode becomes a common mode.
  ///   - lookAgain: a closure that signals the source and wakes the loop if work is left.
  init(
    order: Int = 0, isCalledWhenAdded: Bool = false, perform: @escaping () -> Void = {},
    lookAgain: (() -> Void)? = nil
  ) {
    watch = lookAgain.map { lookAgain in LoopObserver([.beforeWaiting, .exit], order: .max) { _ in lookAgain() } }
    // CoreFoundation compares sources by their `info`, so each source has its own.
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passRetained(CallbackBox { _ in perform() }).toOpaque()
    context.release = CallbackBox.release
    context.perform = { Unmanaged<CallbackBox>.fromOpaque($0!).takeUnretainedValue().handler([]) }
    if isCalledWhenAdded {
      context.schedule = { info, _, _ in Unmanaged<CallbackBox>.fromOpaque(info!).takeUnretainedValue().handler([]) }
    }
    cf = CFRunLoopSourceCreate(kCFAllocatorDefault, order, &context)
  }

  /// Whether the source is in the mode in which the current thread's loop runs.
  var isInCurrentMode: Bool {
    guard let mode = RunLoop.current.currentMode else { return false }
    return CFRunLoopContainsSource(CFRunLoopGetCurrent(), cf, mode.cfMode)
  }

  func signal() { CFRunLoopSourceSignal(cf) }

  /// Signals the source and keeps the current thread's loop from sleeping on it.
  func signalCurrentLoop() {
    signal()
    CFRunLoopWakeUp(CFRunLoopGetCurrent())
  }

  func invalidate() { CFRunLoopSourceInvalidate(cf) }
}
