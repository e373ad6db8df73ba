import CoreFoundation
import Foundation

// What goes out: the batches.
extension Scheduler {
  /// Runs what is due in the innermost run, and was scheduled before now.
  ///
  /// Tasks stay in their lanes until their turn comes, so that a run nested in one of them finds the rest.
  func runBatch(_ due: Due, hearer: Hearer) {
    let run = runs.count - 1
    let mode = runs[run].mode
    let batch = nextOrder
    guard let first = next(due, in: mode, batch: batch) else { return }
    beginCallOut(from: hearer)
    var stopwatch = Stopwatch(for: budget)
    var candidate: Candidate? = first
    while let (task, lane, isOnly) = candidate {
      let seen = rearrangements
      withdraw(task)
      guard goOn(with: task, in: run, &stopwatch) else { break }
      // Usually the next ones are in the same lane, and nothing need be compared.
      if isOnly, !due.onlyStranded {
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

  /// A task, the lane that it is in, and whether no other lane has one that is due.
  private typealias Candidate = (task: RunLoopTask, lane: Lane, isOnly: Bool)

  /// The first in line of what is due in `mode` and old enough.
  ///
  /// - Complexity: O(number of sets of modes that tasks have), usually one or two.
  private func next(_ due: Due, in mode: ModeEntry, batch: UInt64) -> Candidate? {
    var first: Candidate?
    look(for: due, in: mode, batch: batch, &first)
    if isServedAsCommon(mode) { look(for: due, in: common.entries[0], batch: batch, &first) }
    return first
  }

  private func look(for due: Due, in entry: ModeEntry, batch: UInt64, _ first: inout Candidate?) {
    for set in entry.sets {
      let birthLimit = due.onlyStranded ? set.lastExit : .max
      if due.nextLoopBegan { look(in: set[.nextLoopBegan], batch, birthLimit, &first) }
      if due.currentLoopEnded { look(in: set[.currentLoopEnded], batch, birthLimit, &first) }
      if due.idle { look(in: set[.idle], batch, birthLimit, &first) }
    }
  }

  private func look(in lane: Lane, _ batch: UInt64, _ birthLimit: UInt64, _ first: inout Candidate?) {
    guard let task = lane.first(inBatch: batch, bornBefore: birthLimit) else { return }
    guard let other = first else {
      first = (task, lane, true)
      return
    }
    first = task.order < other.task.order ? (task, lane, false) : (other.task, other.lane, false)
  }

  /// Whether tasks are pending that may run in `mode`.
  func hasPending(in mode: ModeEntry) -> Bool { !mode.isEmpty || isServedAsCommon(mode) }

  func hasPending(_ timing: RunLoopTask.Timing, in mode: ModeEntry) -> Bool {
    mode.hasTasks(timing) || isServedAsCommon(mode) && common.entries[0].hasTasks(timing)
  }

  /// Whether there are tasks for the common modes, and `mode` is one of those.
  ///
  /// CoreFoundation does not tell its common modes. But while there are such tasks, a source is in all of them.
  func isServedAsCommon(_ mode: ModeEntry) -> Bool {
    guard !common.entries[0].isEmpty else { return false }
    if !mode.isKnownToBeCommon {
      mode.isKnownToBeCommon =
        CFRunLoopContainsSource(CFRunLoopGetCurrent(), common.entries[0].anchor.source.cf, mode.anchor.cfMode)
    }
    return mode.isKnownToBeCommon
  }
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
