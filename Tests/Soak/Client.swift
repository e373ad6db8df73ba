import Foundation
import RunLoopTasks

/// The arguments of a task. A new argument needs a property, a line in `random` and an argument in each form of
/// scheduling. Check whether it changes the line of the task.
struct Request: Sendable, CustomStringConvertible {
  enum Form {
    case chained
    case queue
    case mainActor

    /// Whether the form takes closures that are not `Sendable`, on the loop's own thread.
    var isBoundToThread: Bool { self == .chained }
  }

  var form = Form.queue
  var timing = RunLoopTask.Timing.nextLoopBegan
  var modes: [RunLoop.Mode] = [.default]
  var delay = Duration.zero
  var limit: Duration?
  var order = 0
  var key: Key?
  var action = Action.nothing
  /// The seed of the random choices of the action.
  var seed: UInt64

  /// A task that runs on a loop in the default mode, or that only waits for the custom mode.
  static func random(for client: Client, on loop: HostedLoop, _ random: inout Random) -> Request {
    var request = Request(timing: random.timing(), seed: random.next())
    if loop.isMain, random.once(in: 2) { request.form = .mainActor }
    if random.once(in: 4) { request.modes = random.pick([[.common], [.default, .custom], [.custom]]) }
    if random.once(in: 6) { request.key = Key(owner: random.once(in: 3) ? nil : client.number, &random) }
    // A task that only waits for the custom mode must be due as soon as the mode runs. There are no intervals, because
    // a sleeping loop keeps their keys.
    if request.modes != [.custom], random.once(in: 5) {
      request.delay = random.pick([.microseconds(50), .milliseconds(1), .milliseconds(3)])
    }
    if random.once(in: 8) { request.limit = random.pick([.nanoseconds(1), .milliseconds(1)]) }
    if random.once(in: 8) { request.order = random.pick([-1, 1]) }
    if random.once(in: 3) { request.action = random.pick(Action.ordinary) }
    return request
  }

  /// A task that runs the custom mode, so that earlier tasks for that mode run.
  static func runCustomMode(_ random: inout Random) -> Request {
    Request(timing: random.timing(), action: .runCustomMode, seed: random.next())
  }

  /// Whether the tasks of one line begin in the order of their scheduling. With a key that all clients use, a task may
  /// take the place of any other. Delays, limits and orders change the place.
  var keepsOrder: Bool {
    (key == nil || key?.owner != nil) && delay == .zero && limit == nil && order == 0
  }

  /// The identity of the task's line.
  func line(on loop: HostedLoop) -> Line.ID {
    if let key, key.owner != nil { return Line.ID(loop: loop.number, key: key.number) }
    return Line.ID(loop: loop.number, timing: timing, modes: modes)
  }

  // MARK: Forms

  // After these calls only the task's closure holds the body.

  func schedule(_ task: TrackedTask, _ window: Window?) -> RunLoopTask {
    let (body, queue) = (TaskBody(task, window), task.loop.queue)
    switch form {
    case .chained:
      let task = RunLoop.current.perform { body.run() }.when(timing).forModes(modes).after(delay).order(order)
      if let limit { task.within(limit) }
      return key.map { task.coalesced(by: $0) } ?? task
    case .queue:
      return queue.perform(
        when: timing, after: delay, within: limit, order: order, forModes: modes, coalescedBy: key
      ) { body.run() }
    case .mainActor:
      return MainActor.perform(
        when: timing, after: delay, within: limit, order: order, forModes: modes, coalescedBy: key
      ) { body.run() }
    }
  }

  /// Schedules the task in a `Task` that awaits it.
  func run(_ task: TrackedTask, _ value: @escaping @Sendable () throws -> Int) -> Task<Int, any Error> {
    let (body, queue) = (TaskBody(task, nil), task.loop.queue)
    return Task {
      try await queue.run(when: timing, after: delay, within: limit, forModes: modes) {
        body.run()
        return try value()
      }
    }
  }

  var description: String {
    "\(timing) in \(modes.map(\.rawValue))\(key.map { " by \($0)" } ?? ""), \(form), does \(action)"
  }
}

extension RunLoop.Mode {
  /// A mode outside the common modes. Loops run in it only nested in a task, or when a thread drives them by hand.
  static let custom = RunLoop.Mode("soak")
  static let neverRun = RunLoop.Mode("soak, never run")
}

/// A key for coalescing. The soak counts the keys, because a loop must forget a key with its task.
struct Key: Hashable, Sendable, CustomStringConvertible {
  /// The only client that uses the key; `nil` if all clients use it.
  let owner: Int?
  let number: Int
  private let counted = CountedObject(.keys)

  init(owner: Int?, _ random: inout Random) { (self.owner, number) = (owner, random.number(below: 5)) }

  static func == (one: Key, other: Key) -> Bool { (one.owner, one.number) == (other.owner, other.number) }

  func hash(into hasher: inout Hasher) {
    hasher.combine(owner)
    hasher.combine(number)
  }

  var description: String { "key \(number) of \(owner.map { "client \($0)" } ?? "all")" }
}

/// Schedules tasks and knows the order in which they must begin.
struct Client: Sendable {
  private struct LineState: Sendable {
    let line = Line()
    let loopIsEnding: Flag
    var count = 0
    weak var latest: TrackedTask?
  }

  private static let numbers = Counter()
  private static let mostLines = 1_000

  let number = Self.numbers.add()
  private var lines: [Line.ID: LineState] = [:]

  /// Schedules a task in the form of its request. The monitor follows the task from now on.
  @discardableResult
  mutating func schedule(_ request: Request, on loop: HostedLoop, in window: Window? = nil) -> TrackedTask {
    if lines.count >= Self.mostLines { lines = lines.filter { !$1.loopIsEnding.isSet } }
    let id = request.line(on: loop)
    var state = lines[id] ?? LineState(loopIsEnding: loop.isEnding)
    state.count += 1
    let line = request.keepsOrder ? state.line : Line()
    let task = TrackedTask(request, on: loop, line: line, number: state.count)
    let former = id.key == nil ? nil : state.latest
    former?.mayBeReplaced.set()
    if request.key != nil, request.key?.owner == nil { task.mayBeReplaced.set() }
    state.latest = task
    lines[id] = state

    let hadEnded = loop.hasEnded.isSet
    task.scheduled(as: request.schedule(task, window), hadEnded: hadEnded, replacing: former)
    (hadEnded ? Count.late : request.form.isBoundToThread ? .scheduledHere : .scheduled).add()
    Monitor.open(task)
    return task
  }
}

/// Tasks of one client that begin in the order of their scheduling. They have the same loop, timing and modes, or the
/// same key. A replaced task does not run later.
final class Line: Sendable {
  struct ID: Hashable {
    let loop: Int
    var timing: RunLoopTask.Timing?
    var modes: [RunLoop.Mode] = []
    var key: Int?
  }

  private let last = Locked(0)

  /// - Returns: whether no later task of the line has begun before.
  func begin(_ number: Int) -> Bool {
    last.withLock { last in
      defer { last = max(last, number) }
      return number > last
    }
  }
}
