import Foundation

/// The events of a round: a question, its answer, and the reloads that follow.
struct Round {
  struct Event {
    let thread: String
    /// The thread that receives the message; `nil` if the event is not a message.
    let receiver: String?
    let text: String
    let time = ContinuousClock.now

    /// Whether the event is a message to the main thread.
    var isAnswer: Bool { receiver == "main" }
    var line: String { (receiver.map { "\(thread) -> \($0)" } ?? thread) + ": " + text }
  }

  let number: Int
  private(set) var isCoalesced = true
  private(set) var requests = 0
  private(set) var reloads = 0
  private(set) var events: [Event] = []

  var summary: String { "\(counted(requests, "request")) -> \(counted(reloads, "reload"))" }

  /// The time from the question to the reload.
  var milliseconds: Double {
    guard let first = events.first, let last = events.last else { return 0 }
    return (last.time - first.time) / .milliseconds(1)
  }

  mutating func send(_ text: String, from thread: String, to receiver: String) {
    events.append(Event(thread: thread, receiver: receiver, text: text))
  }

  mutating func request(_ count: Int, coalesced: Bool) {
    isCoalesced = coalesced
    requests += count
    note("\(counted(requests, "request")) to reload")
  }

  mutating func reload() {
    if reloads > 0 { events.removeLast() }  // the same event with a smaller number
    reloads += 1
    note("\(counted(reloads, "reload")) as its pass ends")
  }

  private mutating func note(_ text: String) {
    events.append(Event(thread: currentThreadName(), receiver: nil, text: text))
  }
}

/// The totals of all rounds with a reload.
struct Totals {
  private(set) var rounds = 0
  private(set) var requests = 0
  private(set) var reloads = 0

  /// Counts a reload, and its round at the first reload.
  mutating func add(reloadOf round: Round) {
    reloads += 1
    guard round.reloads == 1 else { return }
    rounds += 1
    requests += round.requests
  }

  var description: String {
    "\(counted(rounds, "round")), \(counted(requests, "request")), \(counted(reloads, "reload"))"
  }
}

/// The name of the thread that calls this.
func currentThreadName() -> String {
  Thread.isMainThread ? "main" : Thread.current.name ?? "unnamed"
}
