import Foundation
import RunLoopTasks

/// The main thread's side: asks for alphas, takes them, reloads, and asks again after an interval.
@MainActor
final class Exchange {
  /// Where the exchange is between Start and Stop.
  enum State: String {
    case stopped, starting, exchanging, stopping
  }

  private(set) var state = State.stopped {
    didSet { onStateChange?() }
  }
  private(set) var view = CollectionView()
  private(set) var round = Round(number: 0)
  private(set) var totals = Totals()
  /// The time from a reload to the next question, in seconds. A change counts for the question that is waited for, too.
  var interval: TimeInterval {
    didSet { if next != nil { ask(at: max(lastReload + interval, Date())) } }
  }
  /// Whether the requests of a round become one reload. A change begins the next round at once.
  var coalesces = true {
    didSet { if next != nil { ask(at: Date()) } }
  }
  var onStateChange: (@MainActor () -> Void)?
  /// What the main loop does meanwhile.
  let timeline = Timeline()

  private let onReload: @MainActor (Exchange) -> Void
  private let source: RunLoopSource<Message>
  private let secondary: Secondary
  /// The sources that others have registered, by the name of their thread.
  private var registry: [String: RunLoopSource<Request>] = [:]
  /// Asks the next question, while that is waited for.
  private var next: Timer?
  private var lastReload = Date()

  /// - Parameter onReload: called at each reload, which is at the end of a pass in which new alphas came.
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

  /// Adds the secondary thread's source to its loop. Its schedule callback registers it here, which sets off a round.
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
    // Not `Timer(timeInterval:)`, whose first date is now on Linux.
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
    // For the timeline: the other two timings.
    RunLoop.current.perform { self.timeline.note(task: .nextLoopBegan) }.when(.nextLoopBegan).forModes(.common)
    RunLoop.current.perform { self.timeline.note(task: .idle) }.when(.idle).forModes(.common)
  }

  /// May be called as often as one likes: there is one reload, at the end of the pass, unless coalescing is off.
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

/// Where the main thread's source finds the exchange.
@MainActor
private final class Inbox {
  weak var owner: Exchange?
}
