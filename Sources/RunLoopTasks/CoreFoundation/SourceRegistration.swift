import CoreFoundation
import Foundation

/// A source in one loop, and an observer that looks before each sleep of the loop whether work is left for the source.
///
/// The source alone would not do: a nested run may have used up the wake-up that was meant for it.
struct SourceRegistration: Sendable {
  let source: LoopSource
  private let watch: LoopObserver

  /// - Parameter lookAgain: a closure that signals the source and wakes the loop if work is left.
  init(order: Int = 0, perform: @escaping () -> Void, lookAgain: @escaping () -> Void) {
    source = LoopSource(order: order, perform: perform)
    watch = LoopObserver([.beforeWaiting, .exit], order: .max) { _ in lookAgain() }
  }

  func add(to mode: RunLoop.Mode, of loop: any HostLoop) {
    source.add(to: mode, of: loop)
    watch.add(to: mode, of: loop)
  }

  func remove(from mode: RunLoop.Mode, of loop: any HostLoop) {
    source.remove(from: mode, of: loop)
    watch.remove(from: mode, of: loop)
  }
}
