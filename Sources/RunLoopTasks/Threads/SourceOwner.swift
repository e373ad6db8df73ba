import Foundation

/// A `RunLoopSource` with commands of any type.
protocol SourceOwner: AnyObject, Sendable {
  var order: Int { get }
  /// Signals the source if it is ready and in one of some modes.
  ///
  /// - Returns: whether it was signalled.
  func signalIfReady(in modes: [RunLoop.Mode]) -> Bool
  /// Delivers the commands that wait now, if the source is in the default mode or the common modes.
  ///
  /// - Returns: whether there were any.
  func drain(_ scheduler: Scheduler) -> Bool
  /// Ends the source if it is in one of these modes.
  ///
  /// - Returns: the number of commands that are dropped.
  func end(inDrainOf scheduler: Scheduler) -> Int
  /// The loop that the source was in has ended, and the source ends with it.
  ///
  /// - Returns: the number of commands that are dropped.
  func loopHasEnded(_ scheduler: Scheduler) -> Int
}
