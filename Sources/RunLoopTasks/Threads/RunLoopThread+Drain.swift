import Foundation

// The drain: what was accepted before the end is done, and so is what that asks for.
//
//     round 1      tasks ─ commands ─ jobs      the door closes to other threads
//     round 2, …   tasks ─ commands ─ jobs      until a round has neither commands nor jobs
//     the end      the sources end ─ tasks
//
// Tasks alone cause no further round, so one that always schedules itself again does not hold the end.
extension RunLoopThread.Core {
  /// So many rounds at most: commands and jobs that always cause others do not hold the end for ever either. See
  /// `SourceDrainTests.aSourceThatAlwaysSendsToItselfHasAHundredRounds`.
  private static let mostRounds = 100

  func drain(after stop: Stop) {
    for round in 1...Self.mostRounds {
      runTasks(after: stop)
      let haveDelivered = sourcesInOrder.map { $0.drain(scheduler) }.contains(true)
      if round == 1 { scheduler.inbox.close(.closedToOtherThreads) } else if !haveDelivered { break }
    }
    scheduler.inbox.close(.closed)
    let dropped = sourcesInOrder.dropLast().map { $0.end(inDrainOf: scheduler) }
    runTasks(after: stop)
    reportDroppedCommands(dropped.reduce(0, +))
    if stop == .abandoned { reportDelayedTasks() }
  }

  private func runTasks(after stop: Stop) {
    scheduler.catchUpAndRelease()
    scheduler.runBatch(.all, in: .default, isDrain: true)
    if stop == .runningDelayedTasks { scheduler.runAhead(isDrain: true) }
  }

  /// That of the jobs is the last one.
  private var sourcesInOrder: [any SourceOwner] {
    scheduler.inbox.sources.filter { $0 !== jobSource }.inOrder { (Int64($0.order), 0) } + [jobSource]
  }

  /// Says on standard error that tasks still wait for their time although nobody can stop the thread otherwise.
  private func reportDelayedTasks() {
    let tasks = scheduler.store.pending.all.filter { $0.whereabouts == .waiting && $0.isStillPending && !$0.isAwaited }
    guard let first = tasks.first else { return }
    delayedTasks.write(
      """
      nobody refers to the RunLoopThread "\(Thread.current.name ?? "")" any more, so it ends and cancels \
      \(tasks.count == 1 ? "a delayed task" : "\(tasks.count) delayed tasks, the first"), scheduled at \(first.origin); keep \
      the thread, and call stop(runningDelayedTasks: true) to have such tasks run before the end
      """)
  }
}

private let delayedTasks = Notice()
