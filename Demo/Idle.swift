import Foundation
import RunLoopTasks

/// Act two: three loops, each with a spinner that a timer turns, get the same jobs. The main loop gets them as
/// main-queue blocks, and the loops of two threads in chunks that are written by hand and as idle tasks. Nothing is
/// simulated: the delays of the timers are measured.
@MainActor
final class Idle {
  nonisolated static let explanation = """
    On each of three loops a timer turns a spinner. Now and then each loop also gets \(Lane.jobsText) of 0.5\u{A0}ms. \
    A red spinner has stalled. Chunks written by hand keep it turning, too; idle tasks also let other tasks go first, and \
    have limits, modes and a cancel. Nothing is simulated: the delays are measured.
    """

  nonisolated let lanes = [
    Lane(.mainQueue, thread: nil), Lane(.byHand, thread: RunLoopThread(name: "chunks")),
    Lane(.idle, thread: RunLoopThread(name: "idle")),
  ]
  private let camera = RunLoopThread(name: "camera")

  init() {
    for lane in lanes { lane.perform { lane.turn() } }
  }

  var isDone: Bool { lanes.allSatisfy(\.state.isDone) }

  /// Gives each loop its jobs.
  func addJobs() {
    lanes.forEach { $0.expectJobs() }
    for lane in lanes.reversed() { lane.perform { lane.addJobs() } }
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
    lanes.map { "\($0.way.name): the spinner was up to \($0.state.worst.text) late" }
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
  enum Way {
    case mainQueue, byHand, idle

    /// The way in a few letters.
    var title: String {
      switch self {
      case .mainQueue: "main.async"
      case .byHand: "4 ms chunks"
      case .idle: ".when(.idle)"
      }
    }

    /// The way in one line.
    var name: String {
      switch self {
      case .mainQueue: "DispatchQueue.main.async { job() }"
      case .byHand: "chunks of 4 ms, written by hand"
      case .idle: "RunLoop.current.perform { job() }.when(.idle)"
      }
    }

    /// The code, for windows with room.
    var code: [String] {
      switch self {
      case .mainQueue: ["DispatchQueue.main.async { job() }"]
      case .byHand: ["repeat { job() } while .now < end", "await Task.yield()"]
      case .idle: ["RunLoop.current.perform { job() }", "  .when(.idle)"]
      }
    }
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
  /// The thread of the loop; `nil` for the main loop.
  private let thread: RunLoopThread?
  private let content = Locked(State())

  init(_ way: Way, thread: RunLoopThread?) { (self.way, self.thread) = (way, thread) }

  /// Does something on the thread of the loop.
  func perform(_ body: @escaping @Sendable () -> Void) {
    if let thread { thread.taskQueue.perform(body) } else { body() }
  }

  /// The state by now.
  var state: State { content.withLock { $0.measured() } }

  var panel: Panel {
    let (state, limit) = (state, Duration.milliseconds(100))
    return Panel(
      title: way.title, code: way.code, alphas: Cells.spinner(at: state.turns / 4), isLate: state.delay > limit,
      words: [
        state.delay > limit ? ("STALLED \(state.delay.text)", .stale) : ("keeps turning", .plain),
        ("worst: \(state.worst.text)", state.worst > limit ? .stale : .task),
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
    switch way {
    case .mainQueue: for _ in 1...Lane.jobs { DispatchQueue.main.async { self.work() } }
    case .byHand: Task(executorPreference: thread) { await self.workInChunks() }
    case .idle: for _ in 1...Lane.jobs { RunLoop.current.perform { self.work() }.when(.idle) }
    }
  }

  /// Works for 4 ms at a time.
  private func workInChunks() async {
    while state.jobsLeft > 0 {
      let end = ContinuousClock.now + .milliseconds(4)
      repeat { work() } while state.jobsLeft > 0 && .now < end
      await Task.yield()
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
