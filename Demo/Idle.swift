import Foundation
import RunLoopTasks

/// Act two: two loops, each with a spinner that a timer turns, get the same jobs. The main loop gets them as main-queue
/// blocks and the loop of a thread as idle tasks. Nothing is simulated: the delays of the timers are measured.
@MainActor
final class Idle {
  nonisolated static let explanation = """
    On each of two loops a timer turns a spinner. Now and then each loop also gets \(Lane.jobsText) of 0.5\u{A0}ms. \
    A red spinner has stalled. Nothing is simulated: the delays are measured.
    """

  nonisolated let lanes = [Lane(.mainQueue), Lane(.idle)]
  private let thread = RunLoopThread(name: "idle")
  private let camera = RunLoopThread(name: "camera")

  init() {
    lanes[0].turn()
    thread.taskQueue.perform { [lane = lanes[1]] in lane.turn() }
  }

  var isDone: Bool { lanes.allSatisfy(\.state.isDone) }

  /// Gives each loop its jobs.
  func addJobs() {
    lanes.forEach { $0.expectJobs() }
    thread.taskQueue.perform { [lane = lanes[1]] in lane.addJobs() }
    lanes[0].addJobs()
  }

  /// Gives each loop its jobs once, after a while, and runs the main loop until they are done.
  func runOnce() {
    RunLoop.main.runUntil { [lanes] in lanes.allSatisfy { $0.state.turns > 20 } }
    addJobs()
    RunLoop.main.runUntil { isDone }
  }

  /// Looks at the loops again and again, on a thread of its own that no job delays.
  func watch(every interval: TimeInterval, _ body: @escaping @Sendable ([Panel]) -> Void) {
    camera.taskQueue.perform { [lanes] in
      let timer = Timer(timeInterval: interval, repeats: true) { _ in body(lanes.map(\.panel)) }
      RunLoop.current.add(timer, forMode: .default)
    }
  }

  /// What the spinners have been through, in words.
  nonisolated var score: [String] {
    lanes.map { "\($0.way.rawValue): the spinner was up to \($0.state.worst.text) late" }
  }

  /// Prints one turn of the act, for an output that is not a terminal.
  static func printSummary() {
    let idle = Idle()
    output(explanation.wrapped(to: 79) + [""])
    idle.runOnce()
    output(idle.score)
  }

  #if os(macOS) || os(Linux)  // programs on other systems have no terminal
    static func runOnTerminal() -> Never {
      let (idle, terminal) = (Idle(), Terminal())
      let events = Events(
        terminal, onKey: { if $0 == "q" { terminal.quit(idle.score) } },
        onResume: { idle.lanes.forEach { $0.forget() } })
      idle.watch(every: 0.04) { panels in
        terminal.show(
          Page(
            status: ["● idle work   \(Lane.jobsText) on each loop every 3 s"], explanation: explanation, note: [],
            panels: panels, keys: ["q quit"]))
      }
      let timer = Timer.scheduledTimer(withTimeInterval: 3, repeats: true) { _ in
        MainActor.assumeIsolated { if idle.isDone { idle.addJobs() } }
      }
      withExtendedLifetime((events, timer)) { runForEver() }
    }
  #endif
}

/// A loop with a spinner and jobs. All but its state is used by the loop's own thread.
final class Lane: Sendable {
  /// How the jobs get their turns.
  enum Way: String {
    case mainQueue = "DispatchQueue.main.async { job() }"
    case idle = "RunLoop.current.perform { job() }.when(.idle)"
  }

  struct State {
    /// The turns of the spinner, and the time of the last one.
    var turns = 0
    var last = ContinuousClock.now
    var worst = Duration.zero
    var jobsLeft = 0
    /// Whether the spinner has turned since the last job.
    var isDone = false
    /// How late the next turn is.
    var delay = Duration.zero

    mutating func measured() -> State {
      delay = max(.now - last - .milliseconds(10), .zero)
      worst = max(worst, delay)
      return self
    }
  }

  static let jobs = 1_000
  static let jobsText = "1,000 jobs"

  let way: Way
  private let content = Locked(State())

  init(_ way: Way) { self.way = way }

  /// The state by now.
  var state: State { content.withLock { $0.measured() } }

  var panel: Panel {
    let (state, limit) = (state, Duration.milliseconds(100))
    return Panel(
      title: way == .mainQueue ? "DispatchQueue.main.async" : ".when(.idle)",
      code: way.rawValue.replacing(".when", with: "\n  .when").components(separatedBy: "\n"),
      alphas: Cells.spinner(at: state.turns / 4), isLate: state.delay > limit,
      words: [
        state.delay > limit ? ("STALLED for \(state.delay.text)", .stale) : ("keeps turning", .plain),
        ("worst delay: \(state.worst.text)", state.worst > limit ? .stale : .task),
        ("jobs left: \(state.jobsLeft)", .plain),
      ])
  }

  /// Turns the spinner from now on.
  func turn() {
    forget()
    let timer = Timer(timeInterval: 0.01, repeats: true) { _ in
      self.content.withLock { state in
        state = state.measured()
        state.last = .now
        state.turns += 1
        state.isDone = state.jobsLeft == 0
      }
    }
    RunLoop.current.add(timer, forMode: .default)
  }

  func expectJobs() { content.withLock { ($0.jobsLeft, $0.isDone) = (Lane.jobs, false) } }

  func addJobs() {
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
    content.withLock { $0.jobsLeft -= 1 }
  }
}

extension Duration {
  /// The duration in milliseconds, rounded up.
  var text: String { "\(Int((self / .milliseconds(1)).rounded(.up))) ms" }
}
