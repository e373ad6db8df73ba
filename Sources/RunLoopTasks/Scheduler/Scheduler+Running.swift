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
    guard next(due, in: mode, batch: batch) != nil else { return }
    callOut(from: hearer) {
      var stopwatch = Stopwatch(for: budget)
      while let task = next(due, in: mode, batch: batch) {
        guard call(task, in: run) else { continue }
        guard stopwatch.hasUsedUp(budget) else { continue }
        runs[run].isCutShort = true
        break
      }
    }
  }

  /// - Returns: whether it ran; not if it was cancelled meanwhile.
  private func call(_ task: RunLoopTask, in run: Int) -> Bool {
    withdraw(task)
    defer { releaseClosures() }  // the key, too
    let closure = task.closure
    task.closure = nil
    // If another thread has just cancelled it, letting go of the closure is all that is left to do.
    guard task.leavePending(for: .running, onLoopThread: true) else { return false }
    runs[run].hasRunTask = true
    tasksRun += 1
    closure?()
    task.finish()
    return true
  }

  /// The first in line of what is due in `mode` and old enough.
  ///
  /// - Complexity: O(number of sets of modes that tasks have), usually one or two.
  private func next(_ due: Due, in mode: ModeEntry, batch: UInt64) -> RunLoopTask? {
    var first: RunLoopTask?
    func look(_ entry: ModeEntry) {
      for set in entry.sets {
        let birthLimit = due.onlyStranded ? set.lastExit : .max
        for timing in due.timings {
          guard let task = set.lanes[timing].first(inBatch: batch, bornBefore: birthLimit) else { continue }
          if first.map({ task.order < $0.order }) ?? true { first = task }
        }
      }
    }
    look(mode)
    if isServedAsCommon(mode) { look(common.entries[0]) }
    return first
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
  let timings: [RunLoopTask.Timing]
  var onlyStranded = false

  static let atEntry = Due(timings: [.nextLoopBegan], onlyStranded: true)
  static let beforeWaiting = Due(timings: [.currentLoopEnded])
  static let beforeIdleWaiting = Due(timings: [.idle])
  static let afterWaiting = Due(timings: [.nextLoopBegan])
  static let atExit = Due(timings: [.currentLoopEnded, .idle])
}
