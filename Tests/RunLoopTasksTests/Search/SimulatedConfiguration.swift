import Foundation

@testable import RunLoopTasks

/// What a simulation begins with.
struct SimulatedConfiguration: CustomStringConvertible {
  /// Something that the host does not do, so that a search must find a hole.
  enum Fault: CaseIterable {
    case wakeUpsGetLost, alarmsGetLost, attachingIsForgotten
    /// Only another thread can notice this.
    case attachingIsLate

    /// Those that can be noticed.
    static let noticeable = allCases.filter { $0 != .attachingIsLate || TwoThreads.areThreadsVisible }
  }

  /// The modes with a timer of a user, which keeps them alive.
  var hasTimer: [RunLoop.Mode]
  /// For each mode, whether the package observes it from the beginning.
  var isUsed: [Bool]
  /// Whether the first mode is a common one, and the second may become one.
  var usesCommonModes: Bool
  var fault: Fault?

  static let all = [false, true].flatMap { usesCommonModes in
    (0..<16).map { bits in
      SimulatedConfiguration(
        hasTimer: [0, 1].filter { bits & 1 << $0 != 0 }.map { SimulatedLoop.modes[$0] },
        isUsed: [bits & 4 != 0, bits & 8 != 0], usesCommonModes: usesCommonModes)
    }
  }

  var description: String {
    "timers of a user: \(hasTimer.map(\.rawValue)), observed: \(isUsed)\(usesCommonModes ? ", A is common" : "")"
  }
}
