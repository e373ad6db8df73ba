import CoreFoundation

// What each system adds to the main loop. The article "In the same frame" says where this is from.

enum SimulatedSystem: String, CaseIterable {
  case iOS18 = "iOS 18 and 26"
  case iOS26Port = "iOS 26, update by a port"
  case iOS26Entry = "iOS 26, update in an observer"
  case macOS15 = "macOS 15"

  @MainActor func makeApp() -> SimulatedApp {
    switch self {
    case .iOS18: UpdatingApp()
    case .iOS26Port: PortUpdatingApp()
    case .iOS26Entry: EntryUpdatingApp()
    case .macOS15: ObservingApp()
    }
  }

  /// Whether the system has a `UIUpdateLink`.
  var hasLinks: Bool { self != .macOS15 }
}

/// UIKit since iOS 18: a source makes an update, which does everything without a return to the loop.
private class UpdatingApp: SimulatedApp {
  private lazy var source = MainLoopSource { [unowned self] in update() }

  final func update() {
    dispatchTouches()
    callDisplayLinks()
    for action in actions { action() }
    commit()
  }

  override func tick() { source.signal() }
  override func removeFromLoop() { source.remove() }
}

/// UIKit of iOS 26 where a port makes the update: after a sleep, and so behind the tasks.
private final class PortUpdatingApp: UpdatingApp {
  override func tick() { addDueTimer { [unowned self] in update() } }
}

/// UIKit of iOS 26 where an observer makes the update, as a nested run begins.
private final class EntryUpdatingApp: UpdatingApp {
  private lazy var nestedRun = MainLoopSource { [unowned self] in
    let observer = MainLoopObserver(.entry, order: 0) { [unowned self] in update() }
    CFRunLoopRunInMode(defaultMode, 0, false)
    observer.remove()
  }

  override func tick() { nestedRun.signal() }

  override func removeFromLoop() {
    super.removeFromLoop()
    nestedRun.remove()
  }
}

/// AppKit on macOS 15: an event ends the run of the loop, and the app handles it outside. An observer commits at the
/// end of each pass. Display links come from a port.
private final class ObservingApp: SimulatedApp {
  private lazy var input = MainLoopSource { CFRunLoopStop(CFRunLoopGetMain()) }
  private var observer: MainLoopObserver?

  override init() {
    super.init()
    observer = MainLoopObserver(.beforeWaiting, .exit, order: 2_000_000) { [unowned self] in commit() }
  }

  override func touch(_ handler: @escaping Handler) {
    super.touch(handler)
    input.signal()
  }

  override func tick() {
    if hasDisplayLinks { addDueTimer { [unowned self] in callDisplayLinks() } }
  }

  override func runMainLoop() {
    while !isDone {
      super.runMainLoop()
      dispatchTouches()
    }
  }

  override func removeFromLoop() {
    input.remove()
    observer?.remove()
  }
}
