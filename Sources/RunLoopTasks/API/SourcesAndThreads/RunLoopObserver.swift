import Foundation

/// An observation of a run loop's activities, which ends when you release this object.
///
/// ```swift
/// let activities: RunLoop.Activity = [.beforeWaiting, .afterWaiting]
/// let observer = RunLoop.current.observe(activities) { activity in
///   print(activity)
/// }
/// ```
///
/// Keep the object as long as you want to observe. The observer retains its handler, so capture the observer's owner
/// weakly to avoid a cycle:
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
  // Users may release this object on any thread, even during a call of the handler. CoreFoundation reads an observer's
  // callback without its lock, but releases the callback with the lock. Other threads therefore never invalidate the
  // CoreFoundation observer, and the handler is kept apart from it.
  private let handler: ObserverHandler
  private let observer: LoopObserver
  private let scheduler: Scheduler
  private let modes: [RunLoop.Mode]

  fileprivate init(
    of activities: RunLoop.Activity, _ scheduler: Scheduler, _ modes: [RunLoop.Mode], order: Int, repeats: Bool,
    _ handler: @escaping (RunLoop.Activity) -> Void
  ) {
    let locked = ObserverHandler(CallbackBox(handler))
    (self.handler, self.scheduler, self.modes) = (locked, scheduler, modes.map(scheduler.spelling))
    observer = LoopObserver(activities, order: order, repeats: repeats) { activity in
      locked.withLock { repeats ? $0 : $0.take() }?.handler(activity)
    }
    if !scheduler.attachment.withLock({ $0.add(observer, locked, to: self.modes) }) { locked.end() }
  }

  /// Whether the observation continues. It ends with ``invalidate()``, with the first activity if it does not repeat,
  /// and with the loop.
  public var isValid: Bool { handler.withLock { $0 != nil } }

  /// Ends the observation and releases the handler. It does not wait for a call of the handler that is in progress. A
  /// second call has no effect.
  public func invalidate() {
    scheduler.attachment.withLock { $0.remove(observer, handler, from: modes) }
    handler.end()
  }

  deinit { invalidate() }
}

extension RunLoop {
  /// Observes activities of the current thread's loop.
  ///
  /// - Important: Call it on the loop's own thread; on any other thread it traps. An empty list of modes also traps.
  /// - Note: A run loop does not call an observer that it is already calling. If the handler runs the loop nested, it
  ///   does not observe the nested run.
  /// - Parameters:
  ///   - activities: the activities to observe.
  ///   - modes: the modes to observe, at least one. `.common` includes modes that become common modes later.
  ///   - order: the order among the observers of an activity; the loop calls lower orders first. The package reserves
  ///     the two highest orders and the lowest one, which count as their neighbors. Tasks run at 1,998,000, after an
  ///     app's own observers, which usually have 0, and before Core Animation's at 2,000,000. That observer commits on
  ///     some systems only: <doc:InTheSameFrame>.
  ///   - repeats: whether the observation continues after the first activity.
  ///   - handler: a closure that the loop calls on its own thread with the current activity.
  ///   - fileID: the calling file, which the message of a trap names. Use the default.
  ///   - line: the calling line, which the message of a trap names. Use the default.
  /// - Returns: the observation, which ends when you release it.
  public func observe(
    _ activities: Activity, forModes modes: [RunLoop.Mode] = [.common], order: Int = 0, repeats: Bool = true,
    _ handler: @escaping (Activity) -> Void, fileID: StaticString = #fileID, line: UInt = #line
  ) -> RunLoopObserver {
    let call = Call("RunLoop.observe(_:forModes:order:repeats:_:)", fileID, line)
    let scheduler = scheduler(for: call)
    if modes.isEmpty { call.stop("needs at least one mode: an observer without one is never called") }
    // The others belong to the package's own observers, which keep the loop from sleeping while tasks are due, or stop
    // a run that the package drives. A run nested behind these may use up their wake-up.
    let order = max(min(order, .max - 2), .min + 1)
    return RunLoopObserver(of: activities, scheduler, modes, order: order, repeats: repeats, handler)
  }
}
