import Foundation

extension RunLoop {
  // Disfavored, because Foundation has a method of this name: without the attribute every existing `perform { }` would be
  // ambiguous. With it, only a call that needs the result gets here.

  /// Schedules a closure on the loop of the current thread, and returns the task to say more about it.
  ///
  /// The closure runs once, by default at the beginning of the next pass (``RunLoopTask/Timing/nextLoopBegan``) and in the
  /// default mode. That mode waits while the user scrolls or drags; add `.forModes(.common)` to run then as well.
  ///
  /// ```swift
  /// RunLoop.current.perform { collectionView.reloadData() }.when(.currentLoopEnded)
  /// ```
  ///
  /// The closure is not `@Sendable`: in a class of the main actor it may use that class.
  ///
  /// A call that neither chains nor says `RunLoopTask` is still Foundation's own `RunLoop.perform(_:)`. To keep a task to which
  /// there is nothing to add, give its type: `let task: RunLoopTask = RunLoop.current.perform { … }`. Mind the reverse: who chains
  /// on to a `RunLoop.main.perform { … }` of another thread, which Foundation allows, calls this method, which does not.
  ///
  /// > Warning: On Linux, in a program whose `main` is `async`, the main actor is served by Dispatch's threads: there
  /// > `RunLoop.current` is a loop that nobody runs. Use a thread of your own, or a `main` that is not `async`.
  ///
  /// - Important: Call it on the loop's own thread; anywhere else it stops the program. From other threads and from async
  ///   code use `MainActor.perform(when: .currentLoopEnded) { … }` for the main loop, and the ``taskQueue`` of any other:
  ///   <doc:FromThreadsAndAsyncCode>.
  /// - Parameters:
  ///   - closure: the work. It is released as soon as it has run or the task is cancelled.
  ///   - fileID: the file to name in the task's description; leave it out.
  ///   - line: the line to name in the task's description; leave it out.
  /// - Returns: the task. On a loop whose thread is ending it is cancelled already.
  /// - Complexity: O(1).
  @_disfavoredOverload
  @discardableResult
  public func perform(
    _ closure: @escaping () -> Void, fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopTask {
    Scheduler.withCurrent { scheduler in
      guard scheduler.serves(self) else {
        fatalError(
          """
          RunLoop.perform(_:) must be called on the loop's own thread, because its closure is not @Sendable; from another \
          thread use MainActor.perform(when: .currentLoopEnded) { … } for the main loop, or the RunLoopTaskQueue of another
          """, file: fileID, line: line)
      }
      return scheduler.perform(closure, fileID: fileID, line: line)
    }
  }
}
