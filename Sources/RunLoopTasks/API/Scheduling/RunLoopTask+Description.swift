import Foundation

extension RunLoopTask {
  /// The task's state, the place that scheduled it and, on the loop's own thread while it is pending, its timing, modes,
  /// time, order and key.
  public var description: String {
    if scheduler.isCurrent { scheduler.catchUp() }
    return "RunLoopTask(\(state), \(listing))"
  }

  /// The task as a line of its queue's list.
  package var listing: String {
    "\(scheduler.isCurrent && whereabouts != .outside ? "\(summary), " : "")scheduled at \(origin)"
  }

  private var summary: String {
    let modes = modes.map { mode in
      switch scheduler[mode].name {
      case .default: "default"
      case .common: "common"
      case let mode: "\"\(mode.rawValue)\""
      }
    }
    var text = "\(timing) in \(modes.sorted().joined(separator: ", "))"
    if let options {
      if whereabouts == .waiting { text += ", in \(timeLeft(until: max(options.delayEnd, options.intervalEnd)))" }
      if options.leastLimitEnd < .max { text += ", within \(timeLeft(until: options.leastLimitEnd))" }
    }
    if order != 0 { text += ", order \(order)" }
    if let key { text += ", coalesced by \(String(reflecting: key.value))" }
    return text
  }

  private func timeLeft(until date: Int64) -> Duration {
    .milliseconds(max(0, date.addingSaturated(-scheduler.clock.now)) / 1_000_000)
  }
}
