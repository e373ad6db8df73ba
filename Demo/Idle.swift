import Foundation
import RunLoopTasks
import Synchronization

/// Act two: two loops, each with a spinner that a timer turns, get the same jobs. The main loop gets them as main-queue
/// blocks and the loop of a thread as idle tasks. Nothing is simulated: the delays of the timers are measured.
@MainActor
final class Idle {
  nonisolated static let explanation = """
    On each of two loops a timer turns a spinner. Now and then each loop also gets \(Lane.jobsText) of 0.5 ms. \
    A red spinner stands still. All real, and the delays are measured.
    """

  nonisolated let lanes = [Lane(.mainQueue), Lane(.idle)]
  private let thread = RunLoopThread(name: "idle")
  private let camera = RunLoopThread(name: "camera")
  private var timer: Timer?

  init() {
    lanes[0].turn()
    thread.taskQueue.perform { [lane = lanes[1]] in lane.turn() }
  }

  /// Gives each loop its jobs.
  func addJobs() {
    thread.taskQueue.perform { [lane = lanes[1]] in lane.addJobs() }
    lanes[0].addJobs()
  }

  /// Gives the jobs, and gives them again whenever the interval has passed.
  func addJobs(every interval: TimeInterval) {
    timer = .scheduledTimer(withTimeInterval: interval, repeats: true) { [unowned self] _ in
      MainActor.assumeIsolated { addJobs() }
    }
  }

  /// Looks at the loops again and again, on a thread of its own that no job delays.
  func watch(every interval: TimeInterval, _ body: @escaping @Sendable ([Lane.State]) -> Void) {
    camera.taskQueue.perform { [lanes] in
      RunLoop.current.add(
        Timer(timeInterval: interval, repeats: true) { _ in body(lanes.map(\.state)) }, forMode: .default)
    }
  }

  /// Runs the main loop until both loops have done their jobs, and for a turn of their spinners more.
  func runUntilDone() { RunLoop.main.runUntil { [lanes] in lanes.allSatisfy(\.state.isDone) } }

  /// What the spinners have been through, in words.
  nonisolated var score: [String] {
    lanes.map { "\($0.way.call): the spinner was up to \($0.state.worst.text) late" }
  }

  /// Prints one turn of the act, for an output that is not a terminal.
  static func printSummary() {
    let idle = Idle()
    output(explanation.wrapped(to: 79) + [""])
    RunLoop.main.runUntil { idle.lanes.allSatisfy { $0.state.turns > 20 } }
    idle.addJobs()
    idle.runUntilDone()
    output(idle.score)
  }

  #if os(macOS) || os(Linux)  // programs on other systems have no terminal
    static func runOnTerminal() -> Never {
      let (idle, terminal) = (Idle(), Terminal())
      let events = Events(
        terminal, onKey: { if $0 == "q" { terminal.quit(idle.score) } },
        onResume: { idle.lanes.forEach { $0.forget() } })
      idle.watch(every: 0.04) { states in
        let panels = zip(idle.lanes, states).map { $0.way.panel($1) }
        terminal.show(
          Page(
            status: ["● idle work   \(Lane.jobsText) on each loop every 3 s"], explanation: explanation, note: [],
            panels: panels, keys: terminal.keys(["q quit"])))
      }
      idle.addJobs(every: 3)
      withExtendedLifetime((idle, events)) { runForEver() }
    }
  #endif
}

/// A loop with a spinner and jobs. All but its state is used by the loop's own thread.
final class Lane: Sendable {
  /// How the jobs get their turns.
  enum Way {
    case mainQueue, idle
  }

  struct State {
    /// The turns of the spinner, and the time of the last one.
    var turns = 0
    var last = ContinuousClock.now
    var worst = Duration.zero
    var jobs = 0
    /// Whether the spinner has turned since the last job.
    var isDone = false
    /// How late the next turn is.
    var delay = Duration.zero

    mutating func measure() {
      delay = max(.now - last - .milliseconds(10), .zero)
      worst = max(worst, delay)
    }
  }

  static let jobs = 1_000
  static let jobsText = "1,000 jobs"

  let way: Way
  private let content = Mutex(State())

  init(_ way: Way) { self.way = way }

  /// The state by now.
  var state: State {
    content.withLock { state in
      state.measure()
      return state
    }
  }

  /// Turns the spinner from now on.
  func turn() {
    forget()
    let timer = Timer(timeInterval: 0.01, repeats: true) { _ in
      self.content.withLock { state in
        state.measure()
        state.last = .now
        state.turns += 1
        state.isDone = state.jobs == Lane.jobs
      }
    }
    RunLoop.current.add(timer, forMode: .default)
  }

  func addJobs() {
    content.withLock { ($0.jobs, $0.isDone) = (0, false) }
    for _ in 1...Lane.jobs {
      switch way {
      case .mainQueue: DispatchQueue.main.async { self.work() }
      case .idle: RunLoop.current.perform { self.work() }.when(.idle)
      }
    }
  }

  /// Forgets the delays so far.
  func forget() { content.withLock { ($0.last, $0.worst) = (.now, .zero) } }

  private func work() {
    let end = ContinuousClock.now + .microseconds(500)
    while .now < end {}
    content.withLock { $0.jobs += 1 }
  }
}

extension Lane.Way {
  var call: String {
    self == .mainQueue ? "DispatchQueue.main.async { job() }" : "RunLoop.current.perform { job() }.when(.idle)"
  }

  var title: String { self == .mainQueue ? "DispatchQueue.main.async" : ".when(.idle)" }

  func panel(_ state: Lane.State) -> Panel {
    let isLate = state.delay > .milliseconds(100)
    let code = call.replacing(".when", with: "\n  .when").components(separatedBy: "\n")
    return Panel(
      title: title, code: code, alphas: Cells.spinner(at: state.turns / 4), isLate: isLate,
      words: [
        isLate ? ("STANDS STILL for \(state.delay.text)", .stale) : ("keeps turning", .plain),
        ("worst delay: \(state.worst.text)", state.worst > .milliseconds(100) ? .stale : .task),
        ("jobs done: \(state.jobs)", .plain),
      ])
  }
}

extension Duration {
  /// The duration in milliseconds, rounded up.
  var text: String { "\(Int((self / .milliseconds(1)).rounded(.up))) ms" }
}
