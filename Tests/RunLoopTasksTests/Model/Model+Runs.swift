import Foundation

@testable import RunLoopTasks

// The activities of runs, the tasks' turns at them, and the calls that run the loop.
extension Model {
  mutating func pass(_ activity: RunLoop.Activity, _ mode: RunLoop.Mode, _ stage: Stage) throws(Complaint) {
    if activity == .entry, stage == .begins {
      runs.append(Run(mode: mode))
      if calls.last?.kind.isAdvance == true { try beginPassOfAdvance() }
    }
    guard var run = runs.popLast() else { return }
    switch stage {
    case .begins:
      if activity == .afterWaiting { (run.hasRunTask, run.hasRunTaskNow) = (false, false) }
      if !calls.isEmpty { calls[calls.count - 1].activities.append(activity) }
      if activity == .exit { try checkThatNothingIsLeft(in: mode) }
    case .tasks:
      readMessages()
      now += 1
      run.batch = batch(.activity(activity), timings(at: activity, in: run))
    case .tasksOver:
      try endBatch(of: run)
      run.batch = nil
    case .ends:
      guard activity != .exit else {
        readMessages()
        now += 1
        lastExit[mode] = now
        if isStopped, runs.isEmpty { beginBatch(.drain(round: 1), RunLoopTask.Timing.allCases) }
        return
      }
    }
    runs.append(run)
  }

  private func batch(_ place: Batch.Place, _ timings: Timings) -> Batch {
    Batch(
      place: place, began: now, timings: timings, isDriven: calls.last?.kind.isDriven == true, lastExit: lastExit,
      budgets: [budget])
  }

  mutating func endBatch(of run: Run) throws(Complaint) {
    guard let batch = run.batch else { return }
    if !batch.mayEnd, let missed = due(in: run, batch).first(where: \.isCertain) {
      throw Complaint("task\(missed.task.number) was due at \(batch.place), but did not run")
    }
    let isAnyLeft = inLine(in: run.mode).contains { $0.isOverdue || batch.timings.timings.contains($0.wish.timing) }
    if isAnyLeft || hasCancelledTasks, batch.hasSlice { isWaiting = true }
  }

  /// A batch begins that does not belong to an activity.
  mutating func beginBatch(_ place: Batch.Place, _ timings: [RunLoopTask.Timing]) {
    readMessages()
    now += 1
    var run = Run(mode: runs.last?.mode ?? .default)
    run.batch = batch(place, (timings, true))
    runs.append(run)
  }

  mutating func endBatch(_ value: Bool) throws(Complaint) {
    let run = runs.removeLast()
    try endBatch(of: run)
    if value != (run.batch.map { $0.count > 0 }) { throw Complaint("runTasks returned \(value)") }
    if value, !runs.isEmpty { runs[runs.count - 1].hasRunTaskNow = true }
  }

  /// A round of a drain is over, and the next one begins.
  private mutating func beginRound(_ round: Int) throws(Complaint) {
    try endTasksOfRound()
    let batch = runs.removeLast().batch
    if batch?.jobsLeft == nil, !waitingJobs.isEmpty { throw Complaint("jobs \(waitingJobs) had no turn in a round") }
    if let left = batch?.jobsLeft, !left.isEmpty { throw Complaint("jobs \(left) had no turn in a round") }
    beginBatch(.drain(round: round), RunLoopTask.Timing.allCases)
  }

  private mutating func endTasksOfRound() throws(Complaint) {
    guard let run = runs.last, run.batch?.jobsLeft == nil else { return }
    try endFlushOfDrain()
    try endBatch(of: run)
  }

  /// A job begins in a round of a drain, behind the tasks. With that, at least one more round follows, and then the
  /// end.
  mutating func beginJobOfRound(_ round: Int, _ number: Int) throws(Complaint) {
    if runs[runs.count - 1].batch?.jobsLeft == [] {  // no task of the next round has shown its beginning
      try beginRound(round + 1)
      return try beginJobOfRound(round + 1, number)
    }
    if runs[runs.count - 1].batch?.jobsLeft == nil {
      try endTasksOfRound()
      runs[runs.count - 1].batch?.jobsLeft = waitingJobs
      lastRound = max(lastRound, round + 2)
    }
    guard runs[runs.count - 1].batch?.jobsLeft?.first == number else {
      throw Complaint("job \(number) began in a round before which it was not there")
    }
    runs[runs.count - 1].batch?.jobsLeft?.removeFirst()
  }

  /// The thread has ended.
  mutating func endDrain() throws(Complaint) {
    guard runs.last?.batch?.drainRound != nil else { throw Complaint("the thread has ended without a drain") }
    while let round = runs.last?.batch?.drainRound, round < lastRound { try beginRound(round + 1) }
    try endFlushOfDrain()
    try endBatch(of: runs.removeLast())
  }

  mutating func begin(_ number: TaskNumber) throws(Complaint) {
    readMessages()  // before each task
    guard let task = tasks[number], task.state == .pending else {
      throw Complaint("task\(number) ran though it was not pending")
    }
    if let call = callsOfRunNow.last, call.isPending, call.task == number {
      if !runs.isEmpty { runs[runs.count - 1].hasRunTaskNow = true }
    } else if try !beginInFlush(number) {
      try beginInTurn(task)
    }
    tasks[number]?.state = .running
    if let key = task.wish.key, task.wish.interval > 0 { beginnings[key] = (clock, task.wish.interval) }
    for index in calls.indices { calls[index].hasRunTask = true }
  }

  private mutating func beginInTurn(_ task: Item) throws(Complaint) {
    let number = task.number
    if let run = runs.last, let batch = run.batch, let round = batch.drainRound,
      !due(in: run, batch).contains(where: { $0.task.number == number })
    {
      if runsDelayedTasks, !batch.hasFlushed, batch.jobsLeft == nil {
        try beginFlushOfDrain()
        if try beginInFlush(number) { return }
      }
      if round < lastRound {
        try beginRound(round + 1)
        return try beginInTurn(task)
      }
    }
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
    (run.batch, run.hasRunTask) = (batch, true)
    // In `runTasks(of:)` idle tasks do not wait, so it says nothing about that.
    if task.wish.timing == .idle, case .activity = batch.place, batch.hasSlice, !task.isOverdue { isWaiting = false }
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
