import Foundation

@testable import RunLoopTasks

// The activities of runs, the tasks' turns at them, and the calls that run the loop.
extension Model {
  mutating func pass(_ activity: RunLoop.Activity, _ mode: RunLoop.Mode, _ stage: Stage) throws(Complaint) {
    if activity == .entry, stage == .begins {
      // Only the last pass of a thread is not called by the script.
      if calls.isEmpty {
        readMessages()
        now += 1
      }
      runs.append(Run(mode: mode, lineEnd: calls.isEmpty ? now : nil))
      if calls.last?.kind.isAdvance == true { try beginPassOfAdvance() }
    }
    guard var run = runs.popLast() else { return }
    switch stage {
    case .begins:
      if activity == .afterWaiting { (run.hasRunTask, run.hasRunIdleTask, run.hasRunTaskNow) = (false, false, false) }
      run.isObserved = !pending(in: mode).isEmpty || !withMessagesRead().pending(in: mode).isEmpty
      if !calls.isEmpty { calls[calls.count - 1].activities.append(activity) }
      if activity == .exit { try checkThatNothingIsLeft(in: mode) }
    case .tasks:
      if run.isObserved { readMessages() }
      now += 1
      run.batch = batch(at: activity, timings(at: activity, in: run), isObserved: run.isObserved, in: run)
    case .tasksOver:
      try checkThatNoneWasLeftOut(of: run)
      run.batch = nil
    case .ends:
      if activity == .beforeWaiting {
        run.passesWithoutIdleTasks = hasOnlyBlockedIdleTasks(in: run) ? run.passesWithoutIdleTasks + 1 : 0
      }
      guard activity != .exit else {
        if run.isObserved { readMessages() }
        now += 1
        lastExit[mode] = now
        if run.isObserved { lastObservedExit[mode] = now }
        if run.lineEnd != nil { lastPass = .over }
        return
      }
    }
    runs.append(run)
  }

  private func batch(
    at activity: RunLoop.Activity?, _ timings: Timings, isObserved: Bool, in run: Run
  ) -> Batch {
    Batch(
      activity: activity, began: run.lineEnd ?? now, timings: timings, isObserved: isObserved, lastExit: lastExit,
      lastObservedExit: lastObservedExit[run.mode, default: 0], budgets: [run.lineEnd == nil ? budget : .unlimited])
  }

  private func checkThatNoneWasLeftOut(of run: Run) throws(Complaint) {
    guard let batch = run.batch, !batch.mayEnd, let missed = due(in: run, batch).first(where: \.isCertain) else {
      return
    }
    throw Complaint("task\(missed.task.number) was due at \(batch.place), but did not run")
  }

  /// `runTasks(of:)` begins.
  mutating func beginBatch(of timing: RunLoopTask.Timing) {
    readMessages()
    now += 1
    var run = Run(mode: runs.last?.mode ?? .default)
    run.batch = batch(at: nil, ([timing], true), isObserved: true, in: run)
    runs.append(run)
  }

  mutating func endBatch(_ value: Bool) throws(Complaint) {
    let run = runs.removeLast()
    try checkThatNoneWasLeftOut(of: run)
    if value != (run.batch.map { $0.count > 0 }) { throw Complaint("runTasks returned \(value)") }
    if value, !runs.isEmpty { runs[runs.count - 1].hasRunTaskNow = true }
  }

  mutating func begin(_ number: TaskNumber) throws(Complaint) {
    guard let task = tasks[number], task.state == .pending else {
      throw Complaint("task\(number) ran though it was not pending")
    }
    if let call = callsOfRunNow.last, call.isPending, call.task == number {
      if !runs.isEmpty { runs[runs.count - 1].hasRunTaskNow = true }
    } else {
      try beginInTurn(task)
    }
    tasks[number]?.state = .running
    if let key = task.wish.key, task.wish.interval > 0 { beginnings[key] = (clock, task.wish.interval) }
    for index in calls.indices { calls[index].hasRunTask = true }
  }

  private mutating func beginInTurn(_ task: Item) throws(Complaint) {
    let number = task.number
    guard var run = runs.popLast(), var batch = run.batch else {
      throw Complaint("task\(number) ran between activities")
    }
    guard !batch.mustEnd else { throw Complaint("task\(number) ran though the budget was used up") }
    let line = due(in: run, batch)
    guard let index = line.firstIndex(where: { $0.task.number == number }) else {
      throw Complaint("task\(number) ran at \(batch.place), where it was not due")
    }
    if let earlier = line[..<index].first(where: \.isCertain) {
      throw Complaint("task\(number) ran before task\(earlier.task.number), which is before it in line")
    }
    batch.count += 1
    batch.hasRunIdleTask = batch.hasRunIdleTask || task.wish.timing == .idle
    (run.batch, run.hasRunTask) = (batch, true)
    if task.wish.timing == .idle { run.hasRunIdleTask = true }
    runs.append(run)
  }

  /// A run without a limit goes on while tasks are pending in its mode.
  private func checkThatNothingIsLeft(in mode: RunLoop.Mode) throws(Complaint) {
    guard let call = calls.last, call.kind == .blocking, !call.isStopped else { return }
    let left = pending(in: mode).map(\.number).sorted()
    if !left.isEmpty { throw Complaint("a run without a limit was left while tasks \(left) were pending") }
  }

  mutating func check(_ call: Call, _ value: Bool?) throws(Complaint) {
    if call.activities.isEmpty, call.kind != .until, !pending(in: call.mode).isEmpty {
      throw Complaint("a run was not entered though tasks were pending")
    }
    let pass: [RunLoop.Activity] = [.entry, .beforeWaiting, .afterWaiting, .exit]
    switch call.kind {
    case .pass:
      if value != call.hasRunTask { throw Complaint("runPass returned \(value == true)") }
      if !call.isStopped, call.activities != pass {
        throw Complaint("a pass went through \(call.activities.map(\.description))")
      }
    case .advance:
      if value != call.hasRunTask { throw Complaint("advance(by:) returned \(value == true)") }
      let passes = repeatElement(pass, count: call.activities.count { $0 == .entry }).flatMap(\.self)
      if !call.isStopped, call.activities != passes {
        throw Complaint("a pass went through \(call.activities.map(\.description))")
      }
      try endAdvance(call)
    case .untilTasksFinish:
      if !pending(in: call.mode).isEmpty { throw Complaint("runUntilTasksFinish left tasks") }
    default: break
    }
  }
}
