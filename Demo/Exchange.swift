import Foundation
import RunLoopTasks

/// The main thread's side: asks for alphas, takes them, reloads, and asks again after an interval.
@MainActor
final class Exchange {
  private let worker: Worker
  private let screen: any Screen
  private let interval: TimeInterval
  private let rounds: Int?

  private var view = CollectionView()
  private var round = Round()

  init(worker: Worker, screen: any Screen, interval: TimeInterval, rounds: Int?) {
    self.worker = worker
    self.screen = screen
    self.interval = interval
    self.rounds = rounds
  }

  func start() {
    round = Round(number: round.number + 1)
    let main = RunLoopTaskQueue.main
    round.say(currentThreadName(), "asks for \(view.count) alphas")
    worker.computeAlphas(view.count) { thread, alphas in
      main.perform {
        MainActor.assumeIsolated { self.take(alphas, from: thread) }
      }
    }
  }

  private func take(_ alphas: [Double], from thread: String) {
    round.say(thread, "computed \(alphas.count) alphas at the end of its pass")
    for (cell, alpha) in alphas.enumerated() {
      view[cell] = alpha
      setNeedsReload()
    }
    round.say(currentThreadName(), "took them, each a request to reload")
  }

  /// May be called as often as one likes: there is one reload, at the end of the pass.
  private func setNeedsReload() {
    round.requests += 1
    RunLoop.current.perform { self.reload() }.when(.currentLoopEnded).coalesced(by: ObjectIdentifier(self))
  }

  private func reload() {
    round.reloads += 1
    round.say(currentThreadName(), "reloads at the end of its pass")
    screen.show(view, round)
    if round.number == rounds { exit(0) }
    // Not `Timer(timeInterval:)`, whose first date is now on Linux.
    let next = Timer(fire: Date(timeIntervalSinceNow: interval), interval: 0, repeats: false) { _ in
      MainActor.assumeIsolated { self.start() }
    }
    RunLoop.current.add(next, forMode: .default)
  }
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
