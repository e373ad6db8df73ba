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
  private let observation: Observation

  fileprivate init(_ observation: Observation) { self.observation = observation }

  /// Whether the observation continues. It ends with ``invalidate()``, with the first activity if it does not repeat,
  /// and with the loop.
  public var isValid: Bool { observation.isValid }

  /// Ends the observation. The handler is never called again, and a second call has no effect.
  ///
  /// On the loop's own thread, the call releases the handler. On any other thread it doesn't wait for a call of the
  /// handler that is in progress, and the loop's own thread releases the handler: at the next activity that the
  /// observer observes, or at the end of the loop.
  public func invalidate() { observation.invalidate() }

  deinit { observation.invalidate() }
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
    let scheduler = scheduler(for: call, "in a method of an actor on it that isn't async")
    if modes.isEmpty { call.stop("needs at least one mode: an observer without one is never called") }
    // The others belong to the package's own observers, which keep the loop from sleeping while tasks are due, or stop
    // a run that the package drives. A run nested behind these may use up their wake-up.
    let order = max(min(order, .max - 2), .min + 1)
    return RunLoopObserver(
      Observation(of: activities, scheduler, modes, order: order, repeats: repeats, handler))
  }
}
