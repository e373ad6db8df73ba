import Foundation

@testable import RunLoopTasks

/// What the model finds wrong with a trace.
struct Complaint: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

// How the model follows a trace.
extension Model {
  /// What is wrong with a trace, if anything.
  static func complaint(about trace: [Event]) -> Complaint? {
    var model = Model()
    do throws(Complaint) {
      for event in trace { try model.follow(event) }
      return nil
    } catch { return error }
  }

  /// Follows a trace by one event, and complains if the documentation does not allow it.
  mutating func follow(_ event: Event) throws(Complaint) {
    now += 1
    switch event {
    case .scheduled(let number, let wish, let caller):
      var task = Item(number: number, wish: wish)
      if wish.delay > 0 { task.delayEnd = clock + wish.delay }
      now += 1  // the clock is read twice
      if wish.limit > 0 { task.limitEnd = clock + wish.limit }
      // In a drain, only the first round takes something from other threads.
      let isRefused = caller == .other && runs.contains { $0.batch?.drainRound ?? 1 > 1 }
      if isRefused { task.state = .cancelled }
      tasks[number] = task
      if !isRefused { receive(event, from: caller) }
    case .changed(let number, _):
      if tasks[number]?.state == .pending { receive(event, from: .own) }
    case .cancelled(let number, let wasInTime):
      let isPending = tasks[number]?.state == .pending
      guard wasInTime == isPending else { throw Complaint("task\(number).cancel() returned \(wasInTime)") }
      guard isPending else { return }
      tasks[number]?.state = .cancelled
      hasCancelledTasks = true
    case .cancelledKey(_, let caller), .cancelledAll(let caller): receive(event, from: caller)
    case .setBudget(let allowance):
      budget = allowance
      for index in runs.indices { runs[index].batch?.budgets.append(allowance) }
    case .becameCommon(let mode):
      commonSince[mode] = commonSince[mode] ?? now
    case .messagesRead: readMessages()
    case .runCalled(let kind, let mode):
      var call = Call(kind: kind, mode: mode)
      if case .advance(let duration) = kind { (call.start, call.end) = (clock, clock + duration) }
      calls.append(call)
    case .runReturned(let value): try check(calls.removeLast(), value)
    case .runNowCalled(let number):
      readMessages()
      callsOfRunNow.append((number, tasks[number]?.state == .pending))
    case .runNowReturned(let hasRun):
      let call = callsOfRunNow.removeLast()
      guard hasRun == call.isPending else { throw Complaint("task\(call.task).runNow() returned \(hasRun)") }
    case .runAllTasksCalled: beginRunningAllTasks()
    case .runAllTasksReturned(let count): try endRunningAllTasks(count)
    case .runTasksCalled(let timing): beginBatch(.runTasks, [timing])
    case .runTasksReturned(let value): try endBatch(value)
    case .stopped: if !calls.isEmpty { calls[calls.count - 1].isStopped = true }
    case .threadStopped(let runningDelayedTasks):
      (isStopped, runsDelayedTasks) = (true, runningDelayedTasks)
      runs.append(Run(mode: .default, hasRunTask: true))  // the script is a task
    case .activity(let activity, let mode, let stage): try pass(activity, mode, stage)
    case .slept(let mode):
      let inLine = inLine(in: mode).map(\.number).sorted()
      if !inLine.isEmpty { throw Complaint("the loop slept while tasks \(inLine) were in line") }
      if hasReadyJobs(in: mode) { throw Complaint("the loop slept on jobs \(waitingJobs)") }
      // On tasks that wait for their time it may sleep.
      if pending(in: mode).isEmpty { throw Complaint("a run did not return though nothing was left") }
    case .taskBegan(let number): try begin(number)
    case .taskEnded(let number): tasks[number]?.state = .finished
    case .jobAdded(let number): waitingJobs.append(number)
    case .jobBegan(let number): try beginJob(number)
    case .jobEnded: runningJob = nil
    case .looked(let states, let count):
      try compare(states)
      let expected = tasks.values.count { $0.state == .pending }
      if count != expected { throw Complaint("queue.count is \(count), not \(expected)") }
    case .finished:
      let left = tasks.values.filter { $0.state == .pending }.map(\.number).sorted()
      if !left.isEmpty { throw Complaint("tasks \(left) never ran") }
      if !waitingJobs.isEmpty { throw Complaint("jobs \(waitingJobs) never ran") }
    case .threadEnded(let states, let closuresLeft):
      if isStopped { try endDrain() }
      for task in tasks.values where task.state == .pending { tasks[task.number]?.state = .cancelled }
      try compare(states)
      if closuresLeft != 0 { throw Complaint("\(closuresLeft) closures were not released at the end of the thread") }
    }
  }

  private mutating func beginJob(_ number: Int) throws(Complaint) {
    if let outer = runningJob { throw Complaint("job \(number) began inside job \(outer)") }
    guard number == waitingJobs.first else { throw Complaint("job \(number) began before jobs \(waitingJobs)") }
    guard let run = runs.last, commonSince[run.mode] != nil else {
      throw Complaint("job \(number) began where no source is served")
    }
    if let round = run.batch?.drainRound, round < lastRound {
      try beginJobOfRound(round, number)
    } else if run.batch != nil {
      throw Complaint("job \(number) began where no source is served")
    }
    runningJob = waitingJobs.removeFirst()
  }

  private func compare(_ states: [TaskNumber: RunLoopTask.State]) throws(Complaint) {
    for task in tasks.values.sorted(by: { $0.number < $1.number }) where states[task.number] != task.state {
      let state = states[task.number].map { "\($0)" } ?? "unknown"
      throw Complaint("task\(task.number) is \(state), not \(task.state)")
    }
  }
}
