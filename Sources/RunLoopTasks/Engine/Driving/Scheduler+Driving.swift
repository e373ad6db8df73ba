import Foundation

// What the calls that drive a loop by hand do. Without a loop they do nothing.
extension Scheduler {
  /// - Returns: whether a task ran.
  @discardableResult
  func runPass(
    in mode: RunLoop.Mode, as pass: DrivenPass = .unsliced, finding mainQueue: MainQueueMarker? = nil
  ) -> Bool {
    guard hasLoop else { return false }
    let tasksRunBefore = tasksRun
    let mode = spelling(of: mode)
    passToBegin = pass
    loop?.runPass(in: mode, finding: mainQueue)
    assert(passToBegin == nil, "no run has taken the pass")
    return tasksRun > tasksRunBefore
  }

  /// Runs the tasks of a timing, and the overdue ones, as one batch.
  ///
  /// - Returns: whether a task ran.
  func runTasks(of timing: RunLoopTask.Timing) -> Bool {
    noteRun()
    let tasksRunBefore = tasksRun
    lookAnew()
    runBatch([ListSet(timing), .overdue], in: loop?.currentMode(self) ?? .default)
    return tasksRun > tasksRunBefore
  }

  /// Whether a task is in line in the mode, so that it need not wait for a delay or an interval.
  func canRunTasks(in mode: RunLoop.Mode) -> Bool {
    catchUp()
    return hasTasksInLine(.all, in: id(of: mode))
  }

  /// Whether async code waits for a task of the loop, or was resumed and has not gone on.
  func isAwaited() -> Bool {
    catchUp()
    return callers.areOnTheirWay(own: true) || pending.all.contains(where: \.isAwaited)
  }

  /// Whether async code waits for a task that is in line in the mode.
  func hasAwaitedTasksInLine(in mode: RunLoop.Mode) -> Bool {
    catchUp()
    let mode = id(of: mode)
    return (isCommon(mode) ? [mode, .common] : [mode]).contains { self[$0].tasks.all.contains(where: \.isAwaited) }
  }

  /// - Returns: whether a task ran.
  func advance(by duration: Duration, in mode: RunLoop.Mode, _ call: Call) -> Bool {
    guard let loop else { return false }
    let (tasksRunBefore, isNested) = (tasksRun, clock.isFrozen)
    loop.setAlarm(at: .max, self)  // its uptime is no longer right; the next sleep sets it anew
    changeClock { $0.freeze() }
    callers.beginAdvance()
    var passes = AdvancedPasses(of: self, in: mode, call)
    let end = clock.limited(date(after: duration))
    passes.letAsyncCodeRun()
    var (date, isLast) = (Int64.min, false)
    while !isLast {
      catchUp()
      // If the last date is also the end, one more pass follows there.
      isLast = date == end || pending.earliestAlarm > end
      date = min(pending.earliestAlarm, end)
      passes.makePasses(at: date)
    }
    callers.endAdvance()
    passes.reportBlockedCode()
    if !isNested { changeClock { $0.resume() } }
    return tasksRun > tasksRunBefore
  }
}
