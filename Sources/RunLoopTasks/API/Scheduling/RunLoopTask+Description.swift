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
        text += ", in \(Duration.nanoseconds(max(options.delayEnd, options.intervalEnd) - now).rounded)"
      }
      if whereabouts == .inLine(.overdue) {
        text += ", overdue"
      } else if options.leastLimitEnd < .max {
        text += ", within \(Duration.nanoseconds(options.leastLimitEnd - now).rounded)"
      }
      if options.order != 0 { text += ", order \(options.order)" }
    }
    if let key {
      text += ", coalesced by \(String(reflecting: key.value))"
      if key.interval > 0 { text += ", at most every \(Duration.nanoseconds(key.interval).rounded)" }
    }
    return text
  }
}

extension Duration {
  /// The duration in milliseconds, or in seconds with one decimal.
  fileprivate var rounded: String {
    let milliseconds = max(0, wholeNanoseconds) / 1_000_000
    return milliseconds < 1_000 ? "\(milliseconds) ms" : "\(Double(milliseconds / 100) / 10) s"
  }
}
