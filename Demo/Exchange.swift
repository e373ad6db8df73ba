import Foundation
import RunLoopTasks

/// The main thread's side: asks for alphas, receives them, reloads, and asks again after an interval.
@MainActor
final class Exchange {
  /// The stages between start and stop.
  enum State: String {
    case stopped, starting, exchanging, stopping
  }

  private(set) var state = State.stopped {
    didSet { onStateChange?() }
  }
  private(set) var view = CollectionView()
  private(set) var round = Round(number: 0)
  private(set) var totals = Totals()
  /// The time from a reload to the next question, in seconds. A change also moves the next question.
  var interval: TimeInterval {
    didSet { if next != nil { ask(at: max(lastReload + interval, Date())) } }
  }
  /// Whether the requests of a round become one reload. A change starts the next round at once.
  var coalesces = true {
    didSet { if next != nil { ask(at: Date()) } }
  }
  var onStateChange: (@MainActor () -> Void)?
  /// The activities of the main loop.
  let timeline = Timeline()

  private let onReload: @MainActor (Exchange) -> Void
  private let source: RunLoopSource<Message>
  private let secondary: Secondary
  /// The sources that other threads have registered, by the name of the thread.
  private var registry: [String: RunLoopSource<Request>] = [:]
  /// The timer that asks the next question; `nil` during a round.
  private var next: Timer?
  private var lastReload = Date()

  /// - Parameter onReload: is called at each reload, at the end of a pass in which new alphas arrived.
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

  /// Adds the secondary thread's source to its loop. The schedule callback registers it here and starts a round.
  func start() {
    guard state == .stopped else { return }
    state = .starting
    secondary.addSource()
  }

  /// Removes the secondary thread's source. The cancel callback ends the exchange here.
  func stop() {
    guard state == .exchanging else { return }
    state = .stopping
    next?.invalidate()
    next = nil
    secondary.removeSource()
  }

  private func receive(_ message: Message) {
    switch message {
    case .registered(let source, let thread):
      timeline.note("\(thread) registers")
      registry[thread] = source
      state = .exchanging
      ask()
    case .left(let thread):
      timeline.note("\(thread) leaves")
      registry[thread] = nil
      state = .stopped
    case .alphas(let alphas, let number, let thread):
      if number == round.number { take(alphas, from: thread) }
    }
  }

  private func ask(at date: Date) {
    // On Linux `Timer(timeInterval:)` fires at once for the first time, so the date is explicit.
    let timer = Timer(fire: date, interval: 0, repeats: false) { _ in
      MainActor.assumeIsolated { self.ask() }
    }
    next?.invalidate()
    next = timer
    RunLoop.current.add(timer, forMode: .common)
  }

  private func ask() {
    next = nil
    round = Round(number: round.number + 1)
    timeline.note("round \(round.number): asks")
    for (thread, source) in registry {
      round.send("wants \(view.count) alphas", from: currentThreadName(), to: thread)
      source.send(Request(round: round.number, count: view.count))
    }
  }

  private func take(_ alphas: [Double], from thread: String) {
    round.send("sends \(alphas.count) alphas", from: thread, to: currentThreadName())
    timeline.note("\(alphas.count) alphas")
    for (cell, alpha) in alphas.enumerated() {
      view[cell] = alpha
      setNeedsReload()
    }
    round.request(alphas.count, coalesced: coalesces)
    // Shows the other two timings in the timeline.
    RunLoop.current.perform { self.timeline.note(task: .nextLoopBegan) }.when(.nextLoopBegan).forModes(.common)
    RunLoop.current.perform { self.timeline.note(task: .idle) }.when(.idle).forModes(.common)
  }

  /// Asks for a reload at the end of the pass. With coalescing, many calls cause one reload.
  private func setNeedsReload() {
    let task = RunLoop.current.perform { self.reload() }.when(.currentLoopEnded).forModes(.common)
    if coalesces { task.coalesced(by: ObjectIdentifier(self)) }
  }

  private func reload() {
    round.reload()
    totals.add(reloadOf: round)
    timeline.note(task: .currentLoopEnded, "reload")
    onReload(self)
    guard state == .exchanging else { return }
    lastReload = Date()
    ask(at: lastReload + interval)
  }
}

/// Leads from the main thread's source to the exchange.
@MainActor
private final class Inbox {
  weak var owner: Exchange?
}
