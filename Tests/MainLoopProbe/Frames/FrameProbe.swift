import Foundation
import RunLoopTasks

// Programs that ask an app for a reload. `FrameTests` compares what they print with the article "In the same frame".

/// Who changes a label and asks for a reload of the list that belongs to it.
enum Asker: String, CaseIterable {
  case touch = "a touch or another event"
  case displayLink = "a display link"
  case layout = "layout in the commit"
  case earlyLayout = "layout in an earlier link action"
  case block = "a main-queue block"
  case blockBeforeUpdate = "a main-queue block, with an update due"
  case timer = "a timer"
  case thread = "another thread"
  case asyncCode = "async code of the main actor"
}

/// How the reload is asked for.
enum Way: String, CaseIterable {
  case directly
  case mainQueue = "async"
  case task
  case taskAndLink = "+ link"
  case taskAndTwoLinks = "+ two links"

  /// How many times each update runs the tasks.
  var links: Int { self == .taskAndLink ? 1 : self == .taskAndTwoLinks ? 2 : 0 }
  var timing: RunLoopTask.Timing? { self == .directly || self == .mainQueue ? nil : .currentLoopEnded }
}

/// Prints which frame shows the label and which the list, for each system, asker and way.
@MainActor func printFrames() {
  for system in SimulatedSystem.allCases {
    for asker in Asker.allCases where system.hasLinks || asker != .earlyLayout {
      for way in Way.allCases where system.hasLinks || way.links == 0 {
        let app = system.makeApp()
        let request = Request(app, way)
        let isComplete = app.run({ request.begin(asker) }, until: { request.isComplete })
        let screen = app.screen
        let frames = ["label", "list"].map { screen.frames(showing: $0).map(String.init).joined(separator: ",") }
        say(
          "\(system.rawValue)|\(asker.rawValue)|\(way.rawValue)|\(isComplete ? frames.joined(separator: "|") : "never")"
        )
      }
    }
  }
}

@MainActor private final class Request {
  private let app: SimulatedApp
  private let way: Way

  init(_ app: SimulatedApp, _ way: Way) { (self.app, self.way) = (app, way) }

  var isComplete: Bool { ["label", "list"].allSatisfy { !app.screen.frames(showing: $0).isEmpty } }

  /// Without a tick of the display, no update is due when the reload is asked for.
  func begin(_ asker: Asker) {
    if asker == .earlyLayout { app.actions.append { [app] in app.layOut() } }
    for _ in 0..<way.links { app.actions.append { RunLoop.main.runTasks(of: .currentLoopEnded) } }
    switch asker {
    case .touch:
      app.touch(changeAndAsk)
      app.startDisplay()
    case .displayLink:
      app.addDisplayLink(changeAndAsk)
      app.startDisplay()
    case .layout, .earlyLayout:
      app.setNeedsLayout(changeAndAsk)
      app.startDisplay()
    case .block: DispatchQueue.main.async { [self] in changeAndAsk() }
    case .blockBeforeUpdate:
      DispatchQueue.main.async { [self] in
        app.tick()
        changeAndAsk()
      }
    case .timer: addDueTimer(changeAndAsk)
    case .thread: askFromAnotherThread()
    case .asyncCode: Task { await changeAndAskInAsyncCode() }
    }
  }

  private func changeAndAsk() {
    change()
    if let timing = way.timing {
      RunLoop.current.perform { [self] in reload() }.when(timing)
    } else if way == .directly {
      reload()
    } else {
      DispatchQueue.main.async { [self] in reload() }
    }
  }

  private func changeAndAskInAsyncCode() async {
    change()
    if let timing = way.timing {
      try? await MainActor.run(when: timing) { [self] in reload() }
    } else if way == .directly {
      reload()
    } else {
      Task { [self] in reload() }
    }
  }

  /// Sends the change and the request before the main thread gets to either.
  private func askFromAnotherThread() {
    let way = way
    elsewhere { [self] in
      DispatchQueue.main.async { [self] in
        change()
        if way == .directly { reload() }
      }
      if let timing = way.timing {
        MainActor.perform(when: timing) { [self] in reload() }
      } else if way == .mainQueue {
        DispatchQueue.main.async { [self] in reload() }
      }
    }
  }

  private func change() {
    app.screen.change("label")
    app.startDisplay()
  }

  private func reload() { app.screen.change("list") }
}
