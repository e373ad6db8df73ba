import CoreFoundation
import Foundation

/// An app on the real main loop of this process, with what a system adds to the loop. The main queue is the real one,
/// too.
///
/// The loop never sleeps. The user of the simulation starts the display's clock, which then counts passes: before each
/// tick the app has ten passes for what it was asked for. So no outcome depends on the speed of the machine.
@MainActor class SimulatedApp {
  private static let passesBetweenTicks = 10
  private static let mostPasses = 200_000

  let screen = Screen()
  /// What the app calls before each commit, as the actions of a `UIUpdateLink` do.
  var actions: [Handler] = []
  /// Whether `run` must return.
  private(set) var isDone = false
  private var touches: [Handler] = []
  private var displayLinks: [Handler] = []
  private var layouts: [Handler] = []
  /// `nil` while the display's clock stands still.
  private var passesToTick: Int?

  init() {}

  // MARK: What happens to the app

  func touch(_ handler: @escaping Handler) { touches.append(handler) }

  /// Calls a handler at the next tick of the display.
  func addDisplayLink(_ handler: @escaping Handler) { displayLinks.append(handler) }

  /// Calls a handler when the next layout takes place.
  func setNeedsLayout(_ handler: @escaping Handler) { layouts.append(handler) }

  func startDisplay() { passesToTick = Self.passesBetweenTicks }

  /// Runs the app until a condition holds.
  ///
  /// - Parameters:
  ///   - begin: called once the loop runs, at a moment at which it would sleep.
  /// - Returns: whether the condition holds.
  func run(_ begin: @escaping Handler, until condition: @escaping @MainActor () -> Bool) -> Bool {
    var passes = 0
    // After the observers of the system.
    let end = MainLoopObserver(.beforeWaiting, order: .max) { [self] in
      passes += 1
      if passes == Self.passesBetweenTicks { begin() }
      isDone = condition() || passes == Self.mostPasses
      if isDone { CFRunLoopStop(CFRunLoopGetMain()) }
      if passesToTick == 0 { tick() }
      passesToTick = passesToTick.map { $0 == 0 ? Self.passesBetweenTicks : $0 - 1 }
      CFRunLoopWakeUp(CFRunLoopGetMain())
    }
    runMainLoop()
    end.remove()
    removeFromLoop()
    return condition()
  }

  // MARK: What the systems do

  /// The display is about to show a frame.
  func tick() {}

  /// Runs the main loop until `isDone`.
  func runMainLoop() { CFRunLoopRunInMode(defaultMode, 1e10, false) }

  func removeFromLoop() {}

  final func dispatchTouches() { call(&touches) }
  final func callDisplayLinks() { call(&displayLinks) }
  final func layOut() { call(&layouts) }

  /// Core Animation lays out first, in the commit itself.
  final func commit() {
    layOut()
    screen.commit()
  }

  final var hasDisplayLinks: Bool { !displayLinks.isEmpty }

  private func call(_ handlers: inout [Handler]) {
    let called = handlers
    handlers = []
    for handler in called { handler() }
  }
}
