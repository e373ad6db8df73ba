import Foundation

@testable import RunLoopTasks

/// What happened while a script was performed; a list of them is a trace.
enum Event: Sendable {
  case scheduled(TaskNumber, Wish, Caller)
  case changed(TaskNumber, Change)
  case cancelled(TaskNumber, wasInTime: Bool)
  case cancelledAll(Caller)
  case cancelledKey(Int, Caller)
  case setBudget(Allowance)
  case becameCommon(RunLoop.Mode)

  /// The loop's own thread has noticed what other threads asked for until now.
  case messagesRead

  /// The loop is about to be run; and the call returned, with a value if it has one.
  case runCalled(RunKind, RunLoop.Mode)
  case runReturned(Bool?)
  /// A task is about to be run outside its turn.
  case runNowCalled(TaskNumber)
  case runNowReturned(Bool)
  case runAllTasksCalled
  case runAllTasksReturned(Int)
  case runTasksCalled(RunLoopTask.Timing)
  case runTasksReturned(Bool)
  case stopped
  /// The thread is stopped, so that the run around the script ends, and then comes a drain.
  case threadStopped(runningDelayedTasks: Bool)
  case activity(RunLoop.Activity, RunLoop.Mode, Stage)
  /// The loop has slept until the watchdog woke it.
  case slept(RunLoop.Mode)

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

/// How far the observers of an activity have been called.
enum Stage: Sendable {
  /// Before all others.
  case begins
  /// Just before and just after it is the tasks' turn.
  case tasks, tasksOver
  /// After all others, the package's last excepted.
  case ends
}

/// A trace as one reads it: a line for each event, without the calls of the other observers.
func text(of trace: [Event]) -> String {
  let events = trace.filter { event in
    switch event {
    case .activity(_, _, let stage): stage == .begins
    case .looked: false
    default: true
    }
  }
  return events.map { "\($0)" }.joined(separator: "\n")
}
