import Foundation

extension RunLoopTask {
  /// What the task is: its state, where it was scheduled and, on the loop's own thread, when it will run.
  public var description: String {
    let state = state
    let when = state == .pending && scheduler.isCurrent ? whenItRuns : nil
    return "RunLoopTask(\(state)\(when.map { ", \($0)" } ?? ""), scheduled at \(place))"
  }

  /// Timing, modes and key. Only the loop's own thread may ask.
  private var whenItRuns: String? {
    guard let lane else { return nil }  // another thread has just scheduled it
    let modes = lane.modes.entries.map(\.mode)
    return describe(lane.timing, modes, key?.base)
  }

  /// The task as a line of its queue's list. Only the loop's own thread may ask.
  var listing: String { "\(whenItRuns ?? "\(state)"), scheduled at \(place)" }
}

extension Post {
  /// The task as a line of its queue's list.
  var listing: String { "\(describe(timing, modes, key?.value)), scheduled at \(task.place)" }
}

private func describe(_ timing: RunLoopTask.Timing, _ modes: [RunLoop.Mode], _ key: Any?) -> String {
  let names = modes.map { mode in
    switch mode {
    case .default: "default"
    case .common: "common"
    default: "\"\(mode.rawValue)\""
    }
  }
  let key = key.map { ", coalesced by \(String(reflecting: $0))" } ?? ""
  return "\(timing) in \(Set(names).sorted().joined(separator: ", "))\(key)"
}
