import CoreFoundation
import Foundation

// What systems add to the main loop, made with CoreFoundation and not with the package.

typealias Handler = @MainActor () -> Void

/// A source of version 0 of the main loop.
@MainActor final class MainLoopSource {
  private let perform: Handler
  private var cf: CFRunLoopSource?

  init(_ perform: @escaping Handler) {
    self.perform = perform
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    context.perform = { info in
      let source = Unmanaged<MainLoopSource>.fromOpaque(info!).takeUnretainedValue()
      MainActor.assumeIsolated { source.perform() }
    }
    cf = CFRunLoopSourceCreate(nil, 0, &context)
    CFRunLoopAddSource(CFRunLoopGetMain(), cf, commonModes)
  }

  func signal() {
    CFRunLoopSourceSignal(cf)
    CFRunLoopWakeUp(CFRunLoopGetMain())
  }

  func remove() { CFRunLoopSourceInvalidate(cf) }
}

/// An observer of the main loop.
@MainActor struct MainLoopObserver {
  private let cf: CFRunLoopObserver?

  init(_ activities: CFRunLoopActivity..., order: Int, _ handler: @escaping Handler) {
    let activities = activities.reduce(0) { $0 | CFOptionFlags($1.rawValue) }
    cf = CFRunLoopObserverCreateWithHandler(nil, activities, true, order) { _, _ in MainActor.assumeIsolated(handler) }
    CFRunLoopAddObserver(CFRunLoopGetMain(), cf, commonModes)
  }

  func remove() { CFRunLoopObserverInvalidate(cf) }
}

/// Calls a handler once. A loop serves a due timer as it serves the port of a display link: after a sleep, and one port
/// in each round.
@MainActor func addDueTimer(_ handler: @escaping Handler) {
  let timer = Timer(fire: .now, interval: 0, repeats: false) { _ in MainActor.assumeIsolated(handler) }
  RunLoop.main.add(timer, forMode: .common)
}

#if canImport(Darwin)
  private var commonModes: CFRunLoopMode { .commonModes }
  var defaultMode: CFRunLoopMode { .defaultMode }
#else
  private var commonModes: CFRunLoopMode { kCFRunLoopCommonModes }
  var defaultMode: CFRunLoopMode { kCFRunLoopDefaultMode }
#endif
