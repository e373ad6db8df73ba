import CoreFoundation
import Foundation

extension RunLoop {
  /// The moments of a run at which a run loop calls its observers; the bits are CoreFoundation's own.
  struct Activity: OptionSet, Sendable {
    let rawValue: UInt

    static let entry = Activity(rawValue: 1 << 0)
    static let beforeTimers = Activity(rawValue: 1 << 1)
    static let beforeSources = Activity(rawValue: 1 << 2)
    static let beforeWaiting = Activity(rawValue: 1 << 5)
    static let afterWaiting = Activity(rawValue: 1 << 6)
    static let exit = Activity(rawValue: 1 << 7)
  }
}
