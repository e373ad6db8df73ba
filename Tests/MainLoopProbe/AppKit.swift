#if canImport(AppKit)
  import AppKit
  import RunLoopTasks
  import SwiftUI

  // Programs that use the main loop of an app. They print one event a line, which `AppKitTests` compares.

  enum AppKitProbe: String {
    case event, modal, tracking, transactions, state

    /// Runs an app, which ends the process.
    @MainActor func run() -> Never {
      let app = Application.shared  // creates an instance of the subclass
      app.setActivationPolicy(.accessory)
      DispatchQueue.main.async { MainActor.assumeIsolated { begin() } }
      app.run()
      fatalError("NSApplication.run returned")
    }

    @MainActor private func begin() {
      switch self {
      case .event: postEventAndTasks()
      case .modal: runPanelInTask()
      case .tracking: trackEvents()
      case .transactions: compareTransactions()
      case .state: changeState()
      }
    }
  }

  // MARK: events

  @MainActor private func postEventAndTasks() {
    Application.onEvent = {
      say("event")
      MainActor.perform(when: .idle) { exit(0) }
    }
    for timing in RunLoopTask.Timing.allCases { MainActor.perform(when: timing) { say("\(timing)") } }
    postEvent()
  }

  /// A panel runs the loop in a mode of its own, which is a common mode.
  @MainActor private func runPanelInTask() {
    let panel = makeWindow()
    MainActor.perform(when: .currentLoopEnded) {
      MainActor.perform {
        say("begins a pass of the panel")
        NSApplication.shared.stopModal()
        postEvent()  // The panel notices the stop after an event.
      }
      MainActor.perform(forModes: [.default]) {
        say("default mode")
        exit(0)
      }
      say("{")
      NSApplication.shared.runModal(for: panel)
      say("}")
    }
    MainActor.perform(when: .currentLoopEnded) { say("second task of the batch") }
  }

  /// A view that tracks the mouse waits for events in a mode of its own, which is a common mode.
  @MainActor private func trackEvents() {
    MainActor.perform(when: .currentLoopEnded, forModes: [.default]) {
      say("default mode")
      exit(0)
    }
    MainActor.perform(when: .currentLoopEnded) {
      say("while tracking")
      postEvent()
    }
    say("{")
    Application.onEvent = {}
    while NSApplication.shared.nextEvent(
      matching: .applicationDefined, until: .distantFuture, inMode: .eventTracking, dequeue: true)?.data1 != ownEvent
    {}
    say("}")
  }

  // MARK: frames

  /// Prints whether a task that runs at the end of a pass is in the transaction of the code that scheduled it.
  @MainActor private func compareTransactions() {
    compareTransaction("block") {
      let timer = Timer(fire: Date(), interval: 0, repeats: false) { _ in
        MainActor.assumeIsolated {
          compareTransaction("timer") {
            Application.onEvent = { compareTransaction("event") { exit(0) } }
            postEvent()
          }
        }
      }
      RunLoop.main.add(timer, forMode: .common)
    }
  }

  /// - Parameter next: Called in a later pass.
  @MainActor private func compareTransaction(_ name: String, _ next: @escaping @MainActor () -> Void) {
    let key = "RunLoopTasks.origin"
    CATransaction.setValue(name, forKey: key)
    MainActor.perform(when: .currentLoopEnded) {
      let isSame = CATransaction.value(forKey: key) as? String == name
      say("\(name): \(isSame ? "the same transaction" : "another transaction")")
      MainActor.perform(when: .idle, next)
    }
  }

  /// Changes the state of a view in a task, in an app that is otherwise idle.
  @MainActor private func changeState() {
    let window = makeWindow()
    window.contentView = NSHostingView(rootView: Number())
    window.orderFrontRegardless()
    Number.window = window
    Thread {
      Thread.sleep(forTimeInterval: 20)
      say("not rendered")
      exit(1)
    }.start()
  }

  private struct Number: View {
    static var window: NSWindow?
    static var change: ContinuousClock.Instant?
    @State private var number = 0

    var body: some View {
      let _ = reportChange()
      Text("\(number)").onAppear {
        // By then the app is idle.
        Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in
          MainActor.perform(when: .currentLoopEnded) {
            Self.change = .now
            number = 1
          }
        }
      }
    }

    private func reportChange() {
      guard number == 1, let change = Self.change else { return }
      let delay = change.duration(to: .now)
      say(delay < .seconds(1) ? "rendered at once" : "rendered after \(delay)")
      exit(0)
    }
  }

  // MARK: the app

  @MainActor private final class Application: NSApplication {
    static var onEvent: @MainActor () -> Void = {}

    override func sendEvent(_ event: NSEvent) {
      if event.type == .applicationDefined, event.data1 == ownEvent { Self.onEvent() } else { super.sendEvent(event) }
    }
  }

  private let ownEvent = 42

  @MainActor private func postEvent() {
    let event = NSEvent.otherEvent(
      with: .applicationDefined, location: .zero, modifierFlags: [], timestamp: 0, windowNumber: 0, context: nil,
      subtype: 0, data1: ownEvent, data2: 0)
    NSApplication.shared.postEvent(event!, atStart: false)
  }

  @MainActor private func makeWindow() -> NSWindow {
    let frame = NSRect(x: 0, y: 0, width: 200, height: 100)
    let window = NSWindow(contentRect: frame, styleMask: .titled, backing: .buffered, defer: false)
    window.isReleasedWhenClosed = false
    return window
  }
#endif
