import Foundation

extension RunLoopTask {
  /// The task's state, the place that scheduled it and, on the loop's own thread, its timing, modes and options.
  public var description: String {
    let state = state
    guard state == .pending, scheduler.isCurrent else { return "RunLoopTask(\(state), scheduled at \(origin))" }
    scheduler.catchUp()
    return "RunLoopTask(\(state)\(summary.map { ", \($0)" } ?? ""), scheduled at \(origin))"
  }

  /// The task as a line of its queue's list. Only the loop's own thread may read it.
  var listing: String { "\(summary ?? "\(state)"), scheduled at \(origin)" }

  /// Timing, modes, time, order and key; `nil` if the scheduler does not have the task.
  private var summary: String? {
    guard whereabouts != .outside else { return nil }
    let modes = modes.map { mode in
      switch scheduler[mode].name {
      case .default: "default"
      case .common: "common"
      case let mode: "\"\(mode.rawValue)\""
      }
    }
    var text = "\(timing) in \(modes.sorted().joined(separator: ", "))"
    if let options {
      let now = scheduler.clock.now
      if whereabouts == .waiting {
        text += ", in \(rounded(max(options.delayEnd, options.intervalEnd) - now))"
      }
      if whereabouts == .inLine(.overdue) {
        text += ", overdue"
      } else if options.leastLimitEnd < .max {
        text += ", within \(rounded(options.leastLimitEnd - now))"
      }
      if options.order != 0 { text += ", order \(options.order)" }
    }
    if let key {
      text += ", coalesced by \(String(reflecting: key.value))"
      if key.interval > 0 { text += ", at most every \(rounded(key.interval))" }
    }
    return text
  }

  private func rounded(_ nanoseconds: Int64) -> Duration { .milliseconds(max(0, nanoseconds) / 1_000_000) }
}
