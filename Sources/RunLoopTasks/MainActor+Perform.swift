import Foundation

extension MainActor {
  /// Schedules a closure of the main actor on the main run loop, from any thread and from async code.
  ///
  /// ```swift
  /// MainActor.perform(when: .currentLoopEnded) { collectionView.reloadData() }
  /// ```
  ///
  /// The modes default to `[.common]`, because everything on the main actor goes on while the user scrolls or drags. (The
  /// `perform` of a `RunLoop` and of a ``RunLoopTaskQueue`` default to `.default`, which waits until that ends.)
  ///
  /// - Important: No mode at all stops the program: such a task could never run.
  /// > Warning: On Linux a program whose `main` is `async` never runs the main run loop: the task stays pending.
  /// - Parameters:
  ///   - timing: the moment of the pass at which the task runs.
  ///   - modes: the modes in which it runs, at least one.
  ///   - key: if not `nil`, what the tasks have in common that may replace each other; see ``RunLoopTask/coalesced(by:)``.
  ///   - closure: the work.
  ///   - fileID: the file to name in the task's description; leave it out.
  ///   - line: the line to name in the task's description; leave it out.
  /// - Returns: the task.
  /// - Complexity: as ``RunLoopTaskQueue/perform(when:forModes:coalescedBy:_:fileID:line:)``.
  @discardableResult
  public static nonisolated func perform(
    when timing: RunLoopTask.Timing = .nextLoopBegan, forModes modes: [RunLoop.Mode] = [.common],
    coalescedBy key: (any Hashable & Sendable)? = nil, _ closure: @escaping @MainActor () -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTask {
    requireModes(modes, in: "MainActor.perform(when:forModes:coalescedBy:_:)", fileID: fileID, line: line)
    return RunLoopTaskQueue.main.perform(
      when: timing, forModes: modes, coalescedBy: key, { MainActor.assumeIsolated(closure) }, fileID: fileID, line: line
    )
  }
}
