#if canImport(UIKit) && !os(watchOS) && !targetEnvironment(macCatalyst)
  import UIKit

  extension UIUpdateLink {
    /// Adds an action that runs the main loop's ``RunLoopTask/Timing/currentLoopEnded`` tasks in each update, before
    /// its commit.
    ///
    /// UIKit delivers touches and display-link callbacks in an update, which commits before the pass ends. With this
    /// action, a reload that they request is in the same frame as their own changes:
    ///
    /// ```swift
    /// let link = UIUpdateLink(windowScene: scene)
    /// link.addRunLoopTasks()
    /// link.isEnabled = true
    /// ```
    ///
    /// In each update the link calls ``Foundation/RunLoop/runTasks(of:fileID:line:)`` of the main loop with
    /// ``RunLoopTask/Timing/currentLoopEnded``. A task for that timing runs there or at the end of the pass, whichever
    /// comes first. Extra links or calls are harmless: a task still runs once.
    ///
    /// Layout takes place in the commit, after these tasks. <doc:InTheSameFrame> has the details. This method has only
    /// been type-checked; which frame its tasks are in was found with a simulated app.
    ///
    /// - Important: UIKit doesn't allow nested runs in its update. A task that the link runs must not run the loop.
    /// - Parameter phase: the phase of the update in which the tasks run.
    @MainActor
    public func addRunLoopTasks(to phase: UIUpdateActionPhase = .beforeCATransactionCommit) {
      addAction(to: phase) { _, _ in RunLoop.main.runTasks(of: .currentLoopEnded) }
    }
  }
#endif
