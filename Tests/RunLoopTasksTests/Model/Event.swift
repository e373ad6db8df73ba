import Foundation

@testable import RunLoopTasks

/// What happened while a script was performed; a list of them is a trace.
enum Event: Sendable {
  case scheduled(TaskNumber, Wish, Caller)
  case amended(TaskNumber, Change, Caller)
  case cancelled(TaskNumber, wasInTime: Bool)
  case cancelledAll(Caller)
  case cancelledKey(Int, Caller)
  case setBudget(Allowance)
  case becameCommon(RunLoop.Mode)
  /// A timer that is due was added, it fires, and its callback has returned.
  case timer(RunLoop.Mode, TimerStage)

  /// The loop's own thread has noticed what other threads asked for until now.
  case messagesRead

  /// The loop is about to be run; and the call returned, with a value if it has one.
  case runCalled(RunKind, RunLoop.Mode)
  case runReturned(Bool?)
  case stopped
  case activity(RunLoop.Activity, RunLoop.Mode, Stage)
  /// The loop has slept until the watchdog woke it.
  case slept(RunLoop.Mode)
  /// The innermost run has slept until a timer that was not due when it fell asleep.
  case letTimePass

  case taskBegan(TaskNumber)
  case taskEnded(TaskNumber)

  /// Jobs are numbered in the order in which they come.
  case jobAdded(Int)
  case jobBegan(Int)
  case jobEnded(Int)

  /// The states of all tasks, and how many are pending by the queue's count.
  case looked([TaskNumber: RunLoopTask.State], count: Int)
  /// Everything was run; nothing may be pending.
  case finished
  /// The thread is gone: the states after that, and the number of closures not released.
  case threadEnded([TaskNumber: RunLoopTask.State], closuresLeft: Int)
}

enum TimerStage: Sendable { case added, fires, over }

/// How far the observers of an activity have been called.
enum Stage: Sendable {
  /// Before all others.
  case begins
  /// Just before and just after it is the tasks' turn.
  case tasks, tasksOver
  /// After all others, the package's last excepted.
  case ends
}

/// A trace as one reads it: a line an event, without the calls of the other observers.
func text(of trace: [Event]) -> String { trace.compactMap(\.text).joined(separator: "\n") }

extension Event {
  fileprivate var text: String? {
    switch self {
    case .scheduled(let number, _, let caller): "scheduled task\(number)" + caller.text
    case .amended(let number, let change, let caller): "amended task\(number)\(change.text)" + caller.text
    case .cancelled(let number, let wasInTime): "cancelled task\(number)" + (wasInTime ? "" : ", too late")
    case .cancelledAll(let caller): "cancelled all" + caller.text
    case .cancelledKey(let key, let caller): "cancelled key \(key)" + caller.text
    case .setBudget(let allowance): "budget \(allowance)"
    case .becameCommon(let mode): "\(mode.text) became a common mode"
    case .timer(let mode, let stage): "timer in \(mode.text) \(stage)"
    case .messagesRead: "noticed what others asked for"
    case .runCalled(let kind, let mode): "\(kind) in \(mode.text) {"
    case .runReturned: "}"
    case .stopped: "stopped"
    case .activity(let activity, let mode, .begins): "\(activity.name) in \(mode.text)"
    case .activity, .looked: nil
    case .slept(let mode): "slept in \(mode.text)"
    case .letTimePass: "let time pass"
    case .taskBegan(let number): "task\(number) {"
    case .taskEnded(let number): "} // task\(number)"
    case .jobAdded(let number): "added job \(number)"
    case .jobBegan(let number): "job \(number) {"
    case .jobEnded(let number): "} // job \(number)"
    case .finished: "finished"
    case .threadEnded: "the thread ended"
    }
  }
}

extension Caller {
  fileprivate var text: String { self == .own ? "" : " elsewhere" }
}
