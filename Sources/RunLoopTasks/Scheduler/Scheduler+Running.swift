import CoreFoundation
import Foundation

// What goes out: the batches.
extension Scheduler {
  /// Runs what is due in the innermost run, and was scheduled before now.
  ///
  /// Tasks stay in their lanes until their turn comes, so that a run nested in one of them finds the rest.
  func runBatch(_ due: Due, in mode: ModeEntry, hearer: Hearer) {
    let run = runs.count - 1
    let batch = nextOrder
    var candidate = next(due, in: mode, batch: batch)
    guard candidate != nil else { return }
    beginCallOut(from: hearer)
    var stopwatch = Stopwatch(for: budget)
    while let first = candidate {
      let seen = rearrangements
      let lane = first.lane  // retained, because a set of several modes goes when its last task is taken
      guard goOn(with: take(first.task, from: lane, inBatch: batch), in: run, &stopwatch) else { break }
      // Usually the next ones are in the same lane, and nothing need be compared; but a task may make the mode a common one.
      if first.isOnly, !due.onlyStranded, commonMode.isEmpty || mode.isKnownToBeCommon {
        while seen == rearrangements, let task = lane.takeFirst(inBatch: batch) {
          if lane.isEmpty { close(lane) }
          guard goOn(with: task, in: run, &stopwatch) else { return endCallOut(from: hearer) }
        }
      }
      candidate = next(due, in: mode, batch: batch)
    }
    endCallOut(from: hearer)
  }

  /// Calls a task that is no longer in line.
  ///
  /// - Returns: whether there is time for more.
  private func goOn(with task: RunLoopTask, in run: Int, _ stopwatch: inout Stopwatch) -> Bool {
    let mayRun = task.leavePending(for: .running, onLoopThread: true)
    if mayRun {
      runs[run].hasRunTask = true
      tasksRun += 1
      task.closure.take()?()
      task.finish()
    } else {
      task.closure = nil  // another thread has just cancelled it: there is nothing else left to do
    }
    if !released.isEmpty { releaseClosures() }  // the key
    guard mayRun, stopwatch.hasUsedUp(budget) else { return true }
    runs[run].isCutShort = true
    return false
  }

  /// Takes a task out of line.
  private func take(_ task: RunLoopTask, from lane: Lane, inBatch batch: UInt64) -> RunLoopTask {
    guard let first = lane.takeFirst(inBatch: batch) else {
      withdraw(task)  // it is not the first, or has a mark
      return task
    }
    if lane.isEmpty { close(lane) }
    return first
  }

  /// The first in line of what is due in `mode` and old enough.
  ///
  /// - Complexity: O(number of sets of modes that tasks have), usually one or two.
  private func next(_ due: Due, in mode: ModeEntry, batch: UInt64) -> Candidate? {
    var first: Candidate?
    look(for: due, in: mode, batch: batch, &first)
    if isServedAsCommon(mode) { look(for: due, in: commonMode, batch: batch, &first) }
    return first
  }

  private func look(for due: Due, in entry: ModeEntry, batch: UInt64, _ first: inout Candidate?) {
    entry.forEachSet { set in
      let birthLimit = due.onlyStranded ? set.lastExit : .max
      if due.nextLoopBegan { look(in: set.nextLoopBegan, batch, birthLimit, &first) }
      if due.currentLoopEnded { look(in: set.currentLoopEnded, batch, birthLimit, &first) }
      if due.idle { look(in: set.idle, batch, birthLimit, &first) }
    }
  }

  private func look(in lane: Lane, _ batch: UInt64, _ birthLimit: UInt64, _ first: inout Candidate?) {
    guard !lane.isEmpty, let task = lane.first(inBatch: batch, bornBefore: birthLimit) else { return }
    if let other = first, other.order < task.order {
      first?.isOnly = false
    } else {
      first = Candidate(task: task, lane: lane, order: task.order, isOnly: first == nil)
    }
  }

  /// Whether tasks are pending that may run in `mode`.
  func hasPending(in mode: ModeEntry) -> Bool { !mode.isEmpty || isServedAsCommon(mode) }

  func hasPending(_ timing: RunLoopTask.Timing, in mode: ModeEntry) -> Bool {
    mode.hasTasks(timing) || isServedAsCommon(mode) && commonMode.hasTasks(timing)
  }

  /// Whether there are tasks for the common modes, and `mode` is one of those.
  ///
  /// CoreFoundation does not tell its common modes. But while there are such tasks, a source is in all of them.
  func isServedAsCommon(_ mode: ModeEntry) -> Bool {
    guard !commonMode.isEmpty else { return false }
    if !mode.isKnownToBeCommon {
      mode.isKnownToBeCommon =
        CFRunLoopContainsSource(CFRunLoopGetCurrent(), commonMode.anchor.source.cf, mode.anchor.cfMode)
    }
    return mode.isKnownToBeCommon
  }
}

/// A task that is due.
private struct Candidate {
  // Unsafe for speed: the task is in line until it is taken, and so long its lane is kept.
  unowned(unsafe) let task: RunLoopTask
  unowned(unsafe) let lane: Lane
  let order: UInt64
  /// Whether no other lane has one that is due.
  var isOnly: Bool
}

/// What is due at an activity: the timings in question and, at `entry`, only the tasks that were left behind.
struct Due {
  var nextLoopBegan = false
  var currentLoopEnded = false
  var idle = false
  var onlyStranded = false

  static var atEntry: Due { Due(nextLoopBegan: true, onlyStranded: true) }
  static var beforeWaiting: Due { Due(currentLoopEnded: true) }
  static var beforeIdleWaiting: Due { Due(idle: true) }
  static var afterWaiting: Due { Due(nextLoopBegan: true) }
  static var atExit: Due { Due(currentLoopEnded: true, idle: true) }
}
