import Foundation

// A description changes nothing: it reads no messages, lets no time pass, and calls no code of the user.
extension RunLoopTask {
  /// The task's state, the place that scheduled it and, on the loop's own thread while it is pending, its timing,
  /// modes, time, order and key.
  ///
  /// It changes nothing. Of a key that is no `String`, `Int` or ``OwnerKey``, it contains only the type, because the
  /// text of the key would be that of its own code.
  public var description: String {
    guard scheduler.isCurrent, isStillPending else { return "RunLoopTask(\(state), scheduled at \(origin))" }
    // What is not taken in is a message, which the lock guards.
    return "RunLoopTask(pending, \(whereabouts == .outside ? scheduler.withUnread { _ in listing } : listing))"
  }

  /// The pending task as a line of its queue's list. On the loop's own thread; for a message, with the lock.
  package var listing: String { "\(summary), scheduled at \(origin)" }

  private var summary: String {
    let modes = modeIDs.map { mode in
      switch scheduler[mode].name {
      case .default: "default"
      case .common: "common"
      case let mode: "\"\(mode.rawValue)\""
      }
    }
    var text = "\(timing) in \(modes.joined(separator: ", "))"
    if let options {
      let (waitEnd, limitEnd, now) = (
        max(options.delayEnd, options.intervalEnd), options.leastLimitEnd, scheduler.clock.now
      )
      if waitEnd > now, limitEnd > now { text += ", in \(Self.timeLeft(from: now, to: waitEnd))" }
      if limitEnd < .max { text += ", within \(Self.timeLeft(from: now, to: limitEnd))" }
    }
    if order != 0 { text += ", order \(order)" }
    if let key { text += ", coalesced by \(Self.text(of: key.value))" }
    return text
  }

  /// In seconds, exact to the millisecond. The description of a `Duration` shows the rounding of binary fractions.
  private static func timeLeft(from now: Int64, to date: Int64) -> String {
    let milliseconds = max(0, date.addingSaturated(-now)) / 1_000_000
    if milliseconds == 1_000 { return "1 second" }
    return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) seconds" : "\(Double(milliseconds) / 1_000) seconds"
  }

  private static func text(of key: any Hashable) -> String {
    switch key {
    case let key as String: key.debugDescription
    case let key as Int: "\(key)"
    case let key as OwnerKey: key.isUnnamed ? "OwnerKey" : "OwnerKey(\(text(of: key.name)))"
    default: "a key of type \(type(of: key))"
    }
  }
}
