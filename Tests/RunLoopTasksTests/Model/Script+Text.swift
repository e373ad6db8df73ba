import Foundation

@testable import RunLoopTasks

// A script as one reads it: a line for each step.

extension Script: CustomStringConvertible {
  var description: String {
    let (begin, end) = (
      hasJobs ? ["in a task of a RunLoopThread:"] : [],
      isRunToTheEnd
        ? "run to the end"
        : !hasJobs ? "end the thread" : runsDelayedTasks ? "stop the thread, running delayed tasks" : "stop the thread"
    )
    return (begin + steps.flatMap(\.lines) + [end]).joined(separator: "\n")
  }
}

extension Step {
  fileprivate var lines: [String] {
    body.isEmpty ? ["\(action)"] : ["\(action) {"] + body.flatMap(\.lines).map { "  " + $0 } + ["}"]
  }
}

extension Wish: CustomStringConvertible {
  var description: String { changes.map(\.description).joined() }
}

extension Change: CustomStringConvertible {
  var description: String {
    switch self {
    case .timing(let timing): ".when(.\(timing))"
    case .modes(let modes): ".forModes(\(modes.map(\.description).joined(separator: ", ")))"
    case .key(let key, 0): ".coalesced(by: \(key))"
    case .key(let key, let interval): ".coalesced(by: \(key), atMostEvery: \(interval.duration))"
    case .after(let delay): ".after(\(delay.duration))"
    case .within(let limit): ".within(\(limit.duration))"
    case .order(let order): ".order(\(order))"
    }
  }
}

extension RunLoop.Mode: @retroactive CustomStringConvertible {
  /// The mode as in code.
  public var description: String { self == .common ? ".common" : ".\(shortName)" }
}
