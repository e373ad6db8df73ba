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

  /// Puts a task in line, or lets it wait for the end of its delay and then, with a place in line, for the end of its
  /// interval. A task whose limit has passed waits for nothing.
  mutating func settle(_ number: TaskNumber) {
    guard var task = tasks[number] else { return }
    now += 1
    let (standing, wasOverdue, limitEnd) = (task.standing, task.isOverdue, task.leastLimitEnd)
    task.isOverdue = limitEnd.map { $0 <= clock } ?? false
    let delayEnd = task.isOverdue ? .past : task.delayEnd
    if delayEnd > clock { task.place = 0 } else if task.place == 0 { task.place = now }
    let waitEnd = task.place == 0 ? delayEnd : task.intervalEnd
    task.standing = waitEnd > clock && !task.isOverdue ? .waiting : .inLine
    if (task.standing, task.isOverdue) != (standing, wasOverdue) { task.changed = now }
    let ends = [task.standing == .waiting ? waitEnd : nil, task.isOverdue ? nil : limitEnd]
    let end = ends.compactMap(\.self).min()
    if end != task.alarm?.end { task.alarm = end.map { ($0, now) } }
    tasks[number] = task
  }

  // MARK: Advancing

  /// A pass of `advance(by:)` begins: the first, at the present date, or the next delay, limit or interval ends, or all
  /// of the time has passed.
  mutating func beginPassOfAdvance() throws(Complaint) {
    guard var call = calls.popLast() else { return }
    guard !call.hasReachedEnd else { throw Complaint("advance(by:) made a pass too many") }
    if !call.hasBegun {
      (frozenClock, call.hasBegun) = (call.start, true)
    } else if let end = earliestEnd, end <= call.end {
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

  private var earliestEnd: ClockTime? { alarms.map(\.end).min() }

  /// Ends the delays, limits and intervals whose time has come, in their order.
  mutating func letTimePass() {
    let clock = clock
    while let next = alarms.filter({ $0.end <= clock }).min(by: { ($0.end, $0.since) < ($1.end, $1.since) }) {
      settle(next.number)
    }
    beginnings = beginnings.filter { $1.time + $1.interval > clock }
  }

  private var alarms: [(end: ClockTime, since: Int, number: TaskNumber)] {
    tasks.values.filter { $0.state == .pending }.compactMap { task in
      task.alarm.map { ($0.end, $0.since, task.number) }
    }
  }
}

extension Model.Item {
  /// The limit that counts: its own does not put off an inherited one.
  var leastLimitEnd: ClockTime? { [limitEnd, inheritedLimitEnd].compactMap(\.self).min() }
}
