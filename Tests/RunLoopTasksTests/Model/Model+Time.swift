import Foundation

@testable import RunLoopTasks

/// A time that the task clock shows.
///
/// Only scripts let half hours pass. What happens between two of them takes no time but comes in an order.
struct ClockTime: Comparable {
  var halfHours: Int
  var moment: Int

  static let past = ClockTime(halfHours: .min, moment: 0)

  static func < (one: ClockTime, other: ClockTime) -> Bool {
    (one.halfHours, one.moment) < (other.halfHours, other.moment)
  }

  static func + (time: ClockTime, duration: HalfHours) -> ClockTime {
    ClockTime(halfHours: time.halfHours + duration, moment: time.moment)
  }
}

// Delays, limits, intervals, and the clock that is advanced.
extension Model {
  var clock: ClockTime { frozenClock ?? ClockTime(halfHours: halfHours, moment: now) }

  /// Gives a task a place, or lets it wait for the end of its delay.
  mutating func settle(_ number: TaskNumber) {
    guard var task = tasks[number] else { return }
    now += 1
    task.hasPlace = task.delayEnd <= clock || task.overdueSince != nil
    if task.hasPlace { task.place = now }
    tasks[number] = task
    waitOrStand(number)
  }

  /// Lets a task wait for its time, or puts it in line.
  private mutating func waitOrStand(_ number: TaskNumber) {
    guard var task = tasks[number] else { return }
    now += 1
    if task.nextEnd > clock, task.overdueSince == nil {
      (task.standing, task.waitingSince) = (.waiting, now)
    } else {
      (task.standing, task.mustRunSince) = (.inLine, now)
    }
    tasks[number] = task
  }

  /// Lets a task wait until a time, or no longer.
  mutating func delay(_ number: TaskNumber, until end: ClockTime) {
    guard let task = tasks[number], end > clock || task.standing == .waiting else { return }
    tasks[number]?.delayEnd = end
    settle(number)
  }

  /// Lets a task wait until the interval of its key is over.
  mutating func waitForInterval(_ number: TaskNumber) {
    guard var task = tasks[number] else { return }
    let endBefore = max(task.intervalEnd, clock)
    task.intervalEnd = .past
    if task.wish.interval > 0, let key = task.wish.key, let beginning = beginnings[key] {
      task.intervalEnd = beginning.time + task.wish.interval
    }
    tasks[number] = task
    if task.hasPlace, task.overdueSince == nil, max(task.intervalEnd, clock) != endBefore { waitOrStand(number) }
  }

  /// Makes a task due if its limit has passed, or no longer due if the limit was put off.
  mutating func considerLimit(of number: TaskNumber) {
    guard let task = tasks[number] else { return }
    if let end = task.leastLimitEnd, end <= clock { return makeOverdue(number) }
    if task.overdueSince != nil {
      tasks[number]?.overdueSince = nil
      waitOrStand(number)
    }
    now += 1
    tasks[number]?.limitSince = now
  }

  private mutating func makeOverdue(_ number: TaskNumber) {
    guard let task = tasks[number] else { return }
    tasks[number]?.overdueSince = task.overdueSince ?? now
    if task.standing == .waiting { endWaiting(task) }
  }

  private mutating func endWaiting(_ task: Item) {
    if task.hasPlace { waitOrStand(task.number) } else { settle(task.number) }
  }

  // MARK: Advancing

  /// A pass of `advance(by:)` begins: the next delay, limit or interval ends, or all of the time has passed.
  mutating func beginPassOfAdvance() throws(Complaint) {
    guard var call = calls.popLast() else { return }
    guard !call.hasReachedEnd else { throw Complaint("advance(by:) made a pass too many") }
    if let end = earliestEnd, end <= call.end {
      frozenClock = max(end, clock)
    } else {
      (frozenClock, call.hasReachedEnd) = (call.end, true)
    }
    calls.append(call)
    letTimePass()
  }

  mutating func endAdvance(_ call: Call) throws(Complaint) {
    guard call.hasReachedEnd else { throw Complaint("advance(by:) returned too early") }
    (halfHours, frozenClock) = (call.end.halfHours, nil)
  }

  private var earliestEnd: ClockTime? {
    let tasks = tasks.values.filter { $0.state == .pending }
    let waits = tasks.filter { $0.standing == .waiting }.map(\.nextEnd)
    let limits = tasks.filter { $0.standing != .unread && $0.overdueSince == nil }.compactMap(\.leastLimitEnd)
    return (waits + limits).min()
  }

  /// Ends the delays, limits and intervals whose time has come, in their order.
  mutating func letTimePass() {
    let clock = clock
    while let (number, isLimit) = nextAlarm(until: clock), let task = tasks[number] {
      if isLimit { makeOverdue(number) } else { endWaiting(task) }
    }
    beginnings = beginnings.filter { $1.time + $1.interval > clock }
  }
}

extension Model {
  /// The task whose wait or limit ends first, until a time.
  private func nextAlarm(until clock: ClockTime) -> (TaskNumber, isLimit: Bool)? {
    let pending = tasks.values.filter { $0.state == .pending }
    let waits = pending.filter { $0.standing == .waiting }.map { ($0.nextEnd, $0.waitingSince, $0.number, false) }
    let limits = pending.filter { $0.standing != .unread && $0.overdueSince == nil }.compactMap { task in
      task.leastLimitEnd.map { ($0, task.limitSince, task.number, true) }
    }
    let first = (waits + limits).filter { $0.0 <= clock }.min { ($0.0, $0.1) < ($1.0, $1.1) }
    return first.map { ($0.2, $0.3) }
  }
}

extension Model.Item {
  /// The limit that counts: its own does not put off an inherited one.
  var leastLimitEnd: ClockTime? { [limitEnd, inheritedLimitEnd].compactMap(\.self).min() }

  /// When the delay of the task ends, or the interval that it then waits for.
  var nextEnd: ClockTime { hasPlace ? intervalEnd : delayEnd }
}
