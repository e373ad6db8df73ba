import CoreFoundation
import Foundation

/// A run of the current thread's loop that the package starts, and stops when a condition holds.
///
/// A source keeps the run alive in an empty mode. Neither the condition nor the source applies to the runs that are
/// nested in it. If a nested run has taken the source away, the source comes back with the next iteration of this run,
/// and not before: `run(until:)` of Foundation runs the loop again and again as long as the mode is not empty.
///
///     this run       beforeTimers: source ─ a task                                     ─ beforeTimers: source
///     run(until:)                               └ runs: no source ─ finds the mode empty ┘
///
/// If this run finds the mode empty before its next iteration, it ends, and `runUntil` begins another. A pass cannot
/// end there, because it must go on to its `beforeWaiting`. Before that, the source comes back as soon as a nested run
/// is left.
final class DrivenRun {
  /// So long that CoreFoundation treats it as no limit and arms no timer.
  static let noLimit: CFTimeInterval = 1e10

  private let cfMode: CFMode
  private let loop: CFRunLoop = CFRunLoopGetCurrent()
  private let source = LoopSource()
  private var observers: [LoopObserver] = []
  /// The depth of the runs of the mode. This run has depth 1.
  private var depth = 0
  /// There was no `beforeWaiting` since the latest `beforeTimers`.
  private var lacksBeforeWaiting = false

  /// - Parameters:
  ///   - isPass: whether it goes on to a `beforeWaiting`. If not, it ends with the iteration after one that had none
  ///     because it served sources. If that iteration has none either, the tasks for the end of a pass run at `exit`.
  ///     CoreFoundation's own way to end such a run serves only the first source.
  ///   - activities: the activities of this run at which `mustStop` is called.
  ///   - order: its order among the observers of these activities.
  init(
    _ mode: RunLoop.Mode, isPass: Bool = true, at activities: RunLoop.Activity, order: Int = .max,
    stopIf mustStop: @escaping (DrivenRun, RunLoop.Activity) -> Bool
  ) {
    cfMode = mode.cfMode
    // Separate observers, because `mustStop` may run the loop, and CoreFoundation calls no observer inside itself.
    observers = [
      LoopObserver([.entry, .beforeWaiting], order: .min) { [unowned self] activity in
        if activity == .entry { enter() }
        if depth == 1 { lacksBeforeWaiting = false }
      },
      LoopObserver(.beforeTimers, order: .max) { [unowned self] _ in
        guard depth == 1 else { return }
        addSource()
        if !isPass, lacksBeforeWaiting { CFRunLoopStop(loop) }
        lacksBeforeWaiting = true
      },
      LoopObserver(activities, order: order) { [unowned self] in
        if depth == 1, mustStop(self, $0) { CFRunLoopStop(loop) }
      },
      LoopObserver(.exit, order: .max) { [unowned self] _ in
        depth -= 1
        if depth == 1, isPass, lacksBeforeWaiting { addSource() }
      },
    ]
    for observer in observers { CFRunLoopAddObserver(loop, observer.cf, cfMode) }
  }

  deinit {
    // CoreFoundation looks for what it invalidates in all modes, unless it is in none.
    for observer in observers {
      CFRunLoopRemoveObserver(loop, observer.cf, cfMode)
      observer.invalidate()
    }
    CFRunLoopRemoveSource(loop, source.cf, cfMode)
    source.invalidate()
  }

  func run(_ seconds: CFTimeInterval = noLimit) {
    addSource()
    CFRunLoopRunInMode(cfMode, seconds, false)
  }

  /// Makes this iteration of the loop poll instead of sleep.
  func poll() { source.signal() }

  private func enter() {
    depth += 1
    guard depth == 2 else { return }
    CFRunLoopRemoveSource(loop, source.cf, cfMode)
    // The source may have been all that the mode of the nested run had.
    Scheduler.current.modeMayBeEmpty()
  }

  private func addSource() { CFRunLoopAddSource(loop, source.cf, cfMode) }
}

extension DrivenRun {
  /// Runs the loop until a condition holds.
  ///
  /// - Parameter activities: those at which the condition is looked at, besides the beginning.
  /// - Returns: whether it holds.
  static func runUntil(
    _ condition: @escaping () -> Bool, in mode: RunLoop.Mode, _ deadline: Deadline,
    at activities: RunLoop.Activity = [.beforeWaiting, .afterWaiting, .exit]
  ) -> Bool {
    var holds = condition()
    guard !holds else { return true }
    let scheduler = Scheduler.current
    let mode = scheduler.spelling(of: mode)
    // After the tasks and before the package's last look, because the condition may schedule tasks. The limit of the
    // run only wakes the loop, and a nested run may have consumed that wake-up.
    let run = DrivenRun(mode, isPass: false, at: activities, order: .max - 1) { _, activity in
      holds = holds || condition()
      return activity != .exit && (holds || deadline <= .now)
    }
    repeat {
      // Nothing wakes a loop whose scheduler has ended, so a late job polls.
      run.run(scheduler.hasLoop ? (deadline - .now) / .seconds(1) : 0.001)
    } while !holds && deadline > .now
    return holds
  }
}

/// When a timeout ends.
typealias Deadline = ContinuousClock.Instant

extension Deadline {
  /// Any `Duration` fits, and CoreFoundation takes a very long one for no limit.
  static func end(of timeout: Duration) -> Deadline { .now + min(max(timeout, .zero), .seconds(Int64.max)) }
}
