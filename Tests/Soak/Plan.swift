import Foundation
import RunLoopTasks

/// All that a task is given. A new argument needs a property, a choice in `random` and its place in `schedule`.
struct Plan: Sendable, CustomStringConvertible {
  enum Form { case chained, oneCall, queue, mainActor }

  var form = Form.queue
  var timing = RunLoopTask.Timing.nextLoopBegan
  var modes: [RunLoop.Mode] = [.default]
  var delay = Duration.zero
  var limit: Duration?
  var order = 0
  var key: Key?
  var interval = Duration.zero
  var action = Action.nothing
  /// The seed of the action's choices.
  var seed: UInt64

  static func random(on loop: SoakLoop, _ random: inout Random) -> Plan {
    var plan = Plan(timing: random.pick(RunLoopTask.Timing.allCases), seed: random.next())
    if loop.isOwnThread { plan.form = random.pick([.chained, .oneCall, .queue]) }
    if loop.isMain, random.once(in: 2) { plan.form = .mainActor }
    if random.once(in: 4) { plan.modes = random.pick([[.common], [.default, .custom], [.custom]]) }
    if random.once(in: 6) {
      plan.key = Key(&random)
      if random.once(in: 3) { plan.interval = .milliseconds(1) }
    }
    if random.once(in: 5) { plan.delay = random.pick([.microseconds(50), .milliseconds(1), .milliseconds(3)]) }
    if random.once(in: 8) { plan.limit = random.pick([.nanoseconds(1), .milliseconds(1)]) }
    if random.once(in: 8) { plan.order = random.pick([-1, 1]) }
    if random.once(in: 3) { plan.action = random.pick(Action.ordinary) }
    return plan
  }

  func schedule(on loop: SoakLoop, _ body: TaskBody) -> RunLoopTask {
    switch form {
    case .chained:
      let task = RunLoop.current.perform { body.run() }.when(timing).forModes(modes).after(delay).order(order)
      if let limit { task.within(limit) }
      return key.map { task.coalesced(by: $0, atMostEvery: interval) } ?? task
    case .oneCall:
      return RunLoop.current.perform(
        when: timing, after: delay, within: limit, order: order, forModes: modes, coalescedBy: key,
        atMostEvery: interval
      ) { body.run() }
    case .queue:
      return loop.queue.perform(
        when: timing, after: delay, within: limit, order: order, forModes: modes, coalescedBy: key,
        atMostEvery: interval
      ) { body.run() }
    case .mainActor:
      return MainActor.perform(
        when: timing, after: delay, within: limit, order: order, forModes: modes, coalescedBy: key,
        atMostEvery: interval
      ) { body.run() }
    }
  }

  var description: String {
    "\(timing) in \(modes.map(\.rawValue))\(key == nil ? "" : " with a key"), \(form), \(action)"
  }
}

extension RunLoop.Mode {
  /// A mode outside the common modes, in which loops run only nested in a task or driven by hand.
  static let custom = RunLoop.Mode("soak")
  static let neverRun = RunLoop.Mode("soak, never run")
}

/// A key for coalescing. The soak counts the keys, because a loop must forget a key with its task.
struct Key: Hashable, Sendable {
  private let number: Int
  private let held = Held(.keys)

  init(_ random: inout Random) { number = random.number(below: 5) }

  static func == (one: Key, other: Key) -> Bool { one.number == other.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
