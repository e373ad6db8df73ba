import Foundation
import RunLoopTasks

/// The work of one thread of the soak. `Request` has the arguments of its tasks, and `Action` has their work.
struct Workload: Sendable {
  /// The steps that threads repeat, and the number of threads for each step.
  static let threads: [(count: Int, step: @Sendable (inout Workload) -> Void)] = [
    (8, { $0.schedule() }), (2, { $0.interfere() }), (2, { $0.replaceLoop() }), (2, { $0.useSource() }),
  ]
  /// The steps that Swift's tasks repeat, and the number of tasks for each step.
  static let asyncTasks: [(count: Int, step: @Sendable (inout Workload) async -> Void)] = [
    (4, { await $0.awaitTask() }), (2, { await $0.callActor() }),
  ]

  let pool: LoopPool
  var random: Random
  var client = Client()
  private let window: Window
  private var former: HostedLoop?

  init(_ pool: LoopPool, _ random: inout Random, window size: Int = 64) {
    (self.pool, self.random, window) = (pool, random.split(), Window(size))
  }

  // MARK: Scheduling

  /// Schedules on the loops of other threads.
  mutating func schedule() {
    let loop = random.pick(pool.busy)
    let task = scheduleOne(on: loop)
    finishInCustomMode(task)
    if random.once(in: 20) { task.cancel() }  // perhaps just when it begins
    if random.once(in: 50) { loop.wake() }
  }

  /// Schedules on a quiet loop. The loop may sleep, be about to sleep, or run the task before.
  mutating func scheduleAlone(_ place: Int) {
    let loop = pool.loops[place]
    if random.once(in: 20) {
      for _ in 0..<random.number(below: 20) {
        loop.wake()
        random.sleep(microsecondsBelow: 200)
      }
    }
    random.sleep(microsecondsBelow: random.pick([1, 300, 10_000]))
    let task = scheduleOne(on: loop)
    if task.request.modes == [.custom] { random.sleep(microsecondsBelow: 300) }
    finishInCustomMode(task)
    if random.once(in: 20) { task.cancel() }
  }

  private mutating func scheduleOne(on loop: HostedLoop) -> TrackedTask {
    window.enter("client \(client.number) waits for a task on \(former.map { "\($0)" } ?? "any loop")")
    // Now and then this is a loop that may have ended.
    let target = random.once(in: 20) ? former ?? loop : loop
    if !loop.isEnding.isSet { former = loop }
    return client.schedule(.random(for: client, on: target, &random), on: target, in: window)
  }

  /// Makes sure that a task for the custom mode ends.
  private mutating func finishInCustomMode(_ task: TrackedTask) {
    guard task.request.modes == [.custom] else { return }
    switch random.number(below: 4) {
    case 0: task.cancel()
    case 1: task.change { $0.forModes(.default) }
    default: client.schedule(.runCustomMode(&random), on: task.loop)
    }
  }

  // MARK: Interfering

  /// Cancels, changes and describes the tasks of other threads, and changes budgets.
  mutating func interfere() {
    if random.once(in: 4) { random.sleep(microsecondsBelow: 500) }
    guard let task = Monitor.latestTask(&random), !task.loop.isQuiet, task.request.action != .runCustomMode else {
      return
    }
    let loop = task.loop
    switch random.number(below: 100) {
    case 0: if !loop.isMain || random.once(in: 4) { loop.cancelAll() }
    case 1: loop.checkDescription()
    case 2...4: loop.queue.budget = random.pick([nil, .microseconds(20), .milliseconds(1)])
    case 5...29: task.change { $0.when(random.timing()) }
    case 30...39: task.change { $0.forModes(random.pick([[.default, .custom], [.common, .custom], [.default]])) }
    case 40...44:
      task.change { $0.forModes(.custom) }
      client.schedule(.runCustomMode(&random), on: loop)
    case 45...59: task.change(newKey: true) { $0.coalesced(by: Key(owner: nil, &random)) }
    default: task.cancel()
    }
  }

  /// Ends a loop and starts another one in its place.
  mutating func replaceLoop() {
    random.sleep(microsecondsBelow: 20_000)
    let place = 1 + random.number(below: pool.loops.count - 1)
    let new = HostedLoop.start(pool, isQuiet: pool.loops[place].isQuiet, &random)
    pool.replace(place, with: new).end(&random)
  }
}

/// The work of a task on its loop's thread.
enum Action: Sendable {
  case nothing
  /// Takes a little time, which counts towards the budget.
  case work
  case schedule
  case scheduleElsewhere
  case describe
  case runPass
  case runCustomMode

  /// The actions of any task. Only tasks that no thread cancels run the custom mode.
  static let ordinary: [Action] = [
    .work, .work, .schedule, .schedule, .scheduleElsewhere, .describe, .runPass,
  ]
  private static let mostDepth = 3

  func perform(on loop: HostedLoop, _ random: inout Random) {
    switch self {
    case .nothing: break
    case .work:
      let end = ContinuousClock.now + .microseconds(random.number(below: 50))
      while ContinuousClock.now < end {}
    case .schedule:
      for _ in 0...random.number(below: 2) {
        let task = Self.schedule(on: loop, from: loop, &random)
        if random.once(in: 8) { task.cancel() }
        if random.once(in: 8) { task.change { $0.when(random.timing()) } }
      }
      if random.once(in: 200) { loop.cancelAll() }
    case .scheduleElsewhere: Self.schedule(on: random.pick(loop.pool.busy), from: loop, &random)
    case .describe: loop.checkDescription()
    case .runPass:
      let mode = random.pick([RunLoop.Mode.default, .custom])
      if loop.depth.value < Self.mostDepth { loop.runNested { RunLoop.current.runPass(mode: mode) } }
    case .runCustomMode:
      loop.runNested {
        // Only pending tasks keep this run alive, so it returns after the last of them.
        if random.once(in: 2) { _ = RunLoop.current.run(mode: .custom, before: .distantFuture) }
        while !RunLoop.current.runUntilTasksFinish(mode: .custom) {}
      }
    }
  }

  /// Schedules a task that schedules no further tasks. A task for the custom mode also needs a task that runs the mode.
  @discardableResult
  private static func schedule(on target: HostedLoop, from loop: HostedLoop, _ random: inout Random) -> TrackedTask {
    loop.client.withLock { client in
      var request = Request.random(for: client, on: target, &random)
      if request.action != .nothing { request.action = .work }
      if target === loop, random.once(in: 2) { request.form = .chained }
      let task = client.schedule(request, on: target)
      if request.modes == [.custom] { client.schedule(.runCustomMode(&random), on: target) }
      return task
    }
  }
}
