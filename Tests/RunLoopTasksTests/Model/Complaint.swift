import Foundation

@testable import RunLoopTasks

/// What the model finds wrong with a trace.
enum Complaint: Error, Equatable {
  /// A task that was not pending.
  case ranAgain(TaskNumber)
  /// A task that was not due at the activity; `nil` between activities.
  case notDue(TaskNumber, RunLoop.Activity?)
  case outOfOrder(TaskNumber, before: TaskNumber)
  case missed(TaskNumber, RunLoop.Activity)
  case overBudget(TaskNumber)
  case neverRan([TaskNumber])
  case slept(on: [TaskNumber])
  /// The loop slept until a timer fired.
  case letTimePass(on: [TaskNumber])
  case didNotReturn(RunLoop.Mode)
  case leftBehind([TaskNumber])
  case notEntered(RunLoop.Mode)
  case notOnePass([RunLoop.Activity])
  case wrongState(TaskNumber, RunLoopTask.State?, expected: RunLoopTask.State)
  case wrongAnswer(String)
  case wrongJob(String)
  case leaked(Int)
}

extension Complaint {
  /// What it is about, whatever the tasks.
  var kind: String? { Mirror(reflecting: self).children.first?.label }
}

extension Complaint: CustomStringConvertible {
  var description: String {
    switch self {
    case .ranAgain(let number): "task\(number) ran though it was not pending"
    case .notDue(let number, let activity):
      "task\(number) ran \(activity.map { "at \($0.name)" } ?? "between activities"), where it was not due"
    case .outOfOrder(let number, let earlier): "task\(number) ran before task\(earlier), which is before it in line"
    case .missed(let number, let activity): "task\(number) was due at \(activity.name), but did not run"
    case .overBudget(let number): "task\(number) ran though the budget was used up"
    case .neverRan(let numbers): "tasks \(numbers) are still pending after runs in all modes"
    case .slept(let numbers): "the loop slept while tasks \(numbers) were in line in the run's mode"
    case .letTimePass(let numbers): "the loop let time pass though tasks \(numbers) could run"
    case .didNotReturn(let mode): "a run in \(mode.text) did not return though nothing was left"
    case .leftBehind(let numbers): "a run without a limit was left while tasks \(numbers) were pending in its mode"
    case .notEntered(let mode): "a run in \(mode.text) was not entered though tasks were pending in it"
    case .notOnePass(let activities): "a pass went through \(activities.map(\.name))"
    case .wrongState(let number, let state, let expected):
      "task\(number) is \(state.map { "\($0)" } ?? "unknown"), not \(expected)"
    case .wrongAnswer(let text), .wrongJob(let text): text
    case .leaked(let count): "\(count) closures were not released when the thread had ended"
    }
  }
}
