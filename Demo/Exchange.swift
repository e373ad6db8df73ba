import Foundation
import RunLoopTasks

/// The main thread's side: asks for alphas, takes them, reloads, and asks again after an interval.
@MainActor
final class Exchange {
  /// Where the exchange is between Start and Stop.
  enum State: String {
    case stopped, starting, exchanging, stopping
  }

  private(set) var state = State.stopped
  private(set) var view = CollectionView()
  private(set) var round = Round()
  /// The time from a reload to the next question, in seconds.
  var interval: TimeInterval
  /// What the main loop does meanwhile.
  let timeline = Timeline()

  private let onReload: @MainActor (Exchange) -> Void
  private let source: RunLoopSource<Message>
  private let secondary: Secondary
  /// The sources that others have registered, by the name of their thread.
  private var registry: [String: RunLoopSource<Request>] = [:]
  private var next: Timer?

  /// - Parameter onReload: called at the end of a pass in which new alphas came.
  init(interval: TimeInterval, onReload: @escaping @MainActor (Exchange) -> Void) {
    self.interval = interval
    self.onReload = onReload
    let inbox = Inbox()
    source = RunLoopSource { messages in
      MainActor.assumeIsolated { messages.forEach { inbox.owner?.receive($0) } }
    }
    secondary = Secondary(main: source)
    inbox.owner = self
    RunLoop.main.add(source, forMode: .common)
  }

  /// Adds the secondary thread's source to its loop. Its schedule callback registers it here, which sets off the first round.
  func start() {
    guard state == .stopped else { return }
    state = .starting
    secondary.addSource()
  }

  /// Removes the secondary thread's source. Its cancel callback ends the exchange here.
  func stop() {
    guard state == .exchanging else { return }
    state = .stopping
    next?.invalidate()
    secondary.removeSource()
  }

  private func receive(_ message: Message) {
    switch message {
    case .registered(let source, let thread):
      timeline.note("secondary registers")
      registry[thread] = source
      state = .exchanging
      ask()
    case .left(let thread):
      timeline.note("secondary leaves")
      registry[thread] = nil
      state = .stopped
      setNeedsReload()
    case .alphas(let alphas, let thread):
      take(alphas, from: thread)
    }
  }

  private func ask() {
    guard state == .exchanging else { return }
    round = Round(number: round.number + 1)
    round.say(currentThreadName(), "asks for \(view.count) alphas")
    timeline.note("round \(round.number): asks")
    for source in registry.values { source.send(Request(count: view.count)) }
  }

  private func take(_ alphas: [Double], from thread: String) {
    round.say(thread, "computed \(alphas.count) alphas at the end of its pass")
    timeline.note("\(alphas.count) alphas come")
    for (cell, alpha) in alphas.enumerated() {
      view[cell] = alpha
      setNeedsReload()
    }
    round.say(currentThreadName(), "took them, each a request to reload")
    // For the timeline: the other two timings.
    RunLoop.current.perform { self.timeline.note(task: .nextLoopBegan) }.when(.nextLoopBegan).forModes(.common)
    RunLoop.current.perform { self.timeline.note(task: .idle) }.when(.idle).forModes(.common)
  }

  /// May be called as often as one likes: there is one reload, at the end of the pass.
  private func setNeedsReload() {
    round.requests += 1
    RunLoop.current.perform { self.reload() }
      .when(.currentLoopEnded)
      .forModes(.common)
      .coalesced(by: ObjectIdentifier(self))
  }

  private func reload() {
    round.reloads += 1
    round.say(currentThreadName(), "reloads at the end of its pass")
    timeline.note(task: .currentLoopEnded, "reload")
    onReload(self)
    guard state == .exchanging else { return }
    // Not `Timer(timeInterval:)`, whose first date is now on Linux.
    let timer = Timer(fire: Date(timeIntervalSinceNow: interval), interval: 0, repeats: false) { _ in
      MainActor.assumeIsolated { self.ask() }
    }
    next?.invalidate()
    next = timer
    RunLoop.current.add(timer, forMode: .common)
  }
}

/// Where the main thread's source finds the exchange.
@MainActor
private final class Inbox {
  weak var owner: Exchange?
}

/// What happened in a round.
struct Round {
  var number = 0
  var requests = 0
  var reloads = 0
  private(set) var events: [String] = []

  init(number: Int = 0) { self.number = number }

  mutating func say(_ thread: String, _ what: String) {
    events.append("\(thread) thread".padding(toLength: 18, withPad: " ", startingAt: 0) + what)
  }

  var summary: String {
    "\(requests) reload request\(requests == 1 ? "" : "s") became \(reloads) reload\(reloads == 1 ? "" : "s")"
  }
}
