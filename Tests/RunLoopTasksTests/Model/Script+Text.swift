import Foundation

@testable import RunLoopTasks

// A script almost as one would write it down, to read it or to make a test of it.

extension Script: CustomStringConvertible {
  var description: String {
    let end = isRunToTheEnd ? "runAllModesUntilNothingIsPending()" : "endThread()"
    let thread = hasJobs ? ["// in a task of a RunLoopThread"] : []
    return (thread + steps.flatMap(\.lines) + [end]).joined(separator: "\n")
  }
}

extension Step {
  fileprivate var lines: [String] {
    let (head, tail) = action.text
    guard action.hasBody else { return [head + tail] }
    guard !body.isEmpty else { return [head + " {}" + tail] }
    return [head + " {"] + body.flatMap(\.lines).map { "  " + $0 } + ["}" + tail]
  }
}

extension Action {
  var hasBody: Bool {
    switch self {
    case .perform, .observe, .timer, .source, .job: true
    default: false
    }
  }

  /// What stands before the body and after it.
  fileprivate var text: (String, String) {
    switch self {
    case .perform(let number, let wish, .chain): ("task\(number) = RunLoop.current.perform", wish.chain)
    case .perform(let number, let wish, .queue(let caller)):
      caller.wrap("task\(number) = queue.performInOneCall", wish.chain)
    case .perform(let number, let wish, .otherChain):
      Caller.other.wrap("task\(number) = queue.perform", wish.chain)
    case .amend(let number, let change, let caller): caller.wrap("task\(number)" + change.text, "")
    case .cancel(let number, let caller): caller.wrap("task\(number).cancel()", "")
    case .cancelKey(let key, let caller): caller.wrap("queue.cancelTask(coalescedBy: \(key))", "")
    case .cancelAll(let caller): caller.wrap("queue.cancelAll()", "")
    case .budget(let allowance, let caller): caller.wrap("queue.budget = \(allowance)", "")
    case .observe(let activity, let mode, let order):
      ("observeOnce(.\(activity.name), in: \(mode.text), order: \(order))", "")
    case .timer(let mode): ("addDueTimer(in: \(mode.text))", "")
    case .source(let mode): ("addSignalledSource(in: \(mode.text))", "")
    case .run(let kind, let mode, let isKeptAlive):
      (isKeptAlive ? "whileKeptAlive { \(kind.text(mode)) }" : kind.text(mode), "")
    case .makeCommon(let mode): ("CFRunLoopAddCommonMode(\(mode.text))", "")
    case .job(let caller): caller.wrap("Task(executorPreference: thread)", "")
    case .stop: ("stopRun()", "")
    }
  }
}

extension Wish {
  fileprivate var chain: String { changes.map(\.text).joined() }
}

extension HalfHours {
  fileprivate var text: String { ".seconds(\(1_800 * self))" }
}

extension Change {
  var text: String {
    switch self {
    case .timing(let timing): ".when(.\(timing))"
    case .modes(let modes): ".forModes(\(modes.text))"
    case .key(let key, 0): ".coalesced(by: \(key))"
    case .key(let key, let interval): ".coalesced(by: \(key), atMostEvery: \(interval.text))"
    case .after(let delay): ".after(\(delay.text))"
    case .within(let limit): ".within(\(limit.text))"
    case .order(let order): ".order(\(order))"
    }
  }
}

extension Caller {
  fileprivate func wrap(_ head: String, _ tail: String) -> (String, String) {
    self == .own ? (head, tail) : ("elsewhere { " + head, tail + " }")
  }
}

extension RunKind {
  fileprivate func text(_ mode: RunLoop.Mode) -> String {
    switch self {
    case .poll: "poll(\(mode.text))"
    case .pass: "RunLoop.current.runPass(mode: \(mode.text))"
    case .blocking: "run(\(mode.text))"
    case .untilSource: "RunLoop.current.run(mode: \(mode.text), before: .distantFuture)"
    case .until: "runUntilNothingIsInLine(\(mode.text))"
    case .advance(let duration): "RunLoop.current.advance(by: \(duration.text), mode: \(mode.text))"
    case .untilTasksFinish: "RunLoop.current.runUntilTasksFinish(mode: \(mode.text))"
    }
  }
}

extension RunLoop.Mode {
  var text: String {
    switch self {
    case .default: ".default"
    case .common: ".common"
    case .custom: ".custom"
    default: ".other"
    }
  }
}

extension [RunLoop.Mode] {
  fileprivate var text: String { map(\.text).joined(separator: ", ") }
}
