import Foundation

/// An observation of a run loop's activities, which ends when this is released.
///
/// ```swift
/// let activities: RunLoop.Activity = [.beforeWaiting, .afterWaiting]
/// let observer = RunLoop.current.observe(activities) { activity in
///   print(activity)
/// }
/// ```
///
/// Keep it for as long as you want to observe. If the handler uses the object that keeps the observer, capture that object weakly,
/// or neither is ever released:
///
/// ```swift
/// final class PassCounter {
///   private(set) var passes = 0
///   private var observer: RunLoopObserver?
///
///   func start() {
///     observer = RunLoop.current.observe(.beforeWaiting) {
///       [weak self] _ in self?.passes += 1
///     }
///   }
/// }
/// ```
public final class RunLoopObserver {
  private let observer: UserObserver
  private let scheduler: Scheduler
  private let modes: [RunLoop.Mode]

  fileprivate init(_ observer: UserObserver, of scheduler: Scheduler, in modes: [RunLoop.Mode]) {
    self.observer = observer
    self.scheduler = scheduler
    self.modes = modes
    scheduler.attachment.withLock { $0.add(observer, to: modes) }
  }

  /// Whether it still observes: not if it was invalidated, its one activity has come, or the loop has ended.
  public var isValid: Bool { observer.isValid }

  /// Ends the observation and releases the handler. It does not wait for a call of the handler that is under way. A second call
  /// does nothing.
  public func invalidate() {
    scheduler.attachment.withLock { $0.remove(observer, from: modes) }
    observer.end()
  }

  deinit { invalidate() }
}

extension RunLoop {
  /// Observes activities of the current thread's loop.
  ///
  /// - Important: Call it on the loop's own thread; elsewhere it stops the program. So does a list without a mode.
  /// - Note: A run loop does not call an observer that it is already calling: if the handler runs the loop nested, it does
  ///   not observe that run.
  /// - Parameters:
  ///   - activities: what to observe.
  ///   - modes: the modes in which to observe, at least one. Those that join the common modes later belong to `.common`, too.
  ///   - order: its place among the observers of an activity; lower ones come first. `Int.max` counts as one less, `Int.min` as one
  ///     more. Tasks run at 1,998,000: after an app's own observers, which mostly have 0, and before Core Animation commits, at
  ///     2,000,000.
  ///   - repeats: whether to go on after the first activity.
  ///   - handler: called on the loop's thread with the one activity that has come.
  /// - Returns: the observation, which ends when it is released.
  public func observe(
    _ activities: Activity, forModes modes: [RunLoop.Mode] = [.common], order: Int = 0, repeats: Bool = true,
    _ handler: @escaping (Activity) -> Void
  ) -> RunLoopObserver {
    let scheduler = scheduler(
      for: "RunLoop.observe(_:forModes:order:repeats:_:)", "observer = RunLoop.current.observe(…) { … }")
    guard !modes.isEmpty else {
      fatalError(
        "RunLoop.observe(_:forModes:order:repeats:_:) needs at least one mode: an observer without one is never called")
    }
    // The very first and the very last are the package's own: they see to it that the loop does not sleep on work.
    let order = max(min(order, .max - 1), .min + 1)
    let observer = UserObserver(of: activities, order: order, repeats: repeats, handler)
    return RunLoopObserver(observer, of: scheduler, in: modes)
  }
}
