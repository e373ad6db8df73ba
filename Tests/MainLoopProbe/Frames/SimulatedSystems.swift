import CoreFoundation

// What each system adds to the main loop. The article "Which frame" says where this is from.

enum SimulatedSystem: String, CaseIterable {
  case iOS18 = "iOS 18 and later"
  case iOS17 = "iOS 17"
  case macOS15 = "macOS 15"

  @MainActor func makeApp() -> SimulatedApp {
    switch self {
    case .iOS18: UpdatingApp()
    case .iOS17: ObservingApp()
    case .macOS15: EventLoopApp()
    }
  }
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

/// UIKit until iOS 17: an observer commits at the end of each pass. Touches come from a source, display links from a
/// port.
private class ObservingApp: SimulatedApp {
  private lazy var input = MainLoopSource { [unowned self] in handleInput() }
  private var observers: [MainLoopObserver] = []

  override init() {
    super.init()
    observers = [
      MainLoopObserver(.beforeWaiting, .exit, order: 1_999_000) { [unowned self] in for action in actions { action() }
      },
      MainLoopObserver(.beforeWaiting, .exit, order: 2_000_000) { [unowned self] in commit() },
    ]
  }

  override final func touch(_ handler: @escaping Handler) {
    super.touch(handler)
    input.signal()
  }

  func handleInput() { dispatchTouches() }

  override final func tick() {
    if hasDisplayLinks { addDueTimer { [unowned self] in callDisplayLinks() } }
  }

  override final func removeFromLoop() {
    input.remove()
    for observer in observers { observer.remove() }
  }
}

/// AppKit on macOS 15: an event ends the run of the loop, and the app handles it outside. An observer commits as above.
private final class EventLoopApp: ObservingApp {
  override func handleInput() { CFRunLoopStop(CFRunLoopGetMain()) }

  override func runMainLoop() {
    while !isDone {
      super.runMainLoop()
      dispatchTouches()
    }
  }
}
