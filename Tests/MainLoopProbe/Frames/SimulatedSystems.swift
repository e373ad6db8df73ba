import CoreFoundation

// What each system adds to the main loop. The article "In the same frame" says where this is from.

enum SimulatedSystem: String, CaseIterable {
  case iOS18 = "iOS 18 and later"
  case macOS15 = "macOS 15"

  @MainActor func makeApp() -> SimulatedApp {
    switch self {
    case .iOS18: UpdatingApp()
    case .macOS15: ObservingApp()
    }
  }

  /// Whether the system has a `UIUpdateLink`.
  var hasLinks: Bool { self == .iOS18 }
}

/// UIKit since iOS 18: a source makes an update, which does everything without a return to the loop.
private final class UpdatingApp: SimulatedApp {
  private lazy var update = MainLoopSource { [unowned self] in
    dispatchTouches()
    callDisplayLinks()
    for action in actions { action() }
    commit()
  }

  override func tick() { update.signal() }
  override func removeFromLoop() { update.remove() }
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
