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

  /// - Parameter hasWork: a closure that says whether work is left, which signals the source and keeps the loop awake.
  init(order: Int = 0, perform: @escaping () -> Void = {}, hasWork: (() -> Bool)? = nil) {
    // CoreFoundation compares sources by their `info`, so each source has its own.
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passRetained(CallbackBox { _ in perform() }).toOpaque()
    context.release = CallbackBox.release
    context.perform = { Unmanaged<CallbackBox>.fromOpaque($0!).takeUnretainedValue().handler([]) }
    let source: CFRunLoopSource = CFRunLoopSourceCreate(kCFAllocatorDefault, order, &context)
    cf = source
    watch = hasWork.map { hasWork in
      LoopObserver([.beforeWaiting, .exit], order: .max) { _ in
        guard hasWork() else { return }
        CFRunLoopSourceSignal(source)
        Scheduler.current.loop?.wakeUp()
      }
    }
  }

  /// The source is in the mode in which the current thread's loop runs.
  var isInCurrentMode: Bool {
    guard let mode = RunLoop.current.currentMode else { return false }
    return CFRunLoopContainsSource(CFRunLoopGetCurrent(), cf, mode.cfMode)
  }

  func signal() { CFRunLoopSourceSignal(cf) }

  func invalidate() {
    CFRunLoopSourceInvalidate(cf)
    watch?.invalidate()
  }
}
