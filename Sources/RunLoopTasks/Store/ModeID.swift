/// The number that the scheduler gives to a mode of the loop.
struct ModeID: Hashable {
  let index: UInt32

  static let `default` = ModeID(index: 0)
  /// The common modes.
  static let common = ModeID(index: 1)
  /// Stands for the modes that a task's options name.
  static let several = ModeID(index: .max)
}
