import CoreFoundation
import Foundation

/// Runs of the current thread's loop, until a condition holds.
final class ConditionalRun {
  private let mode: CFMode
  private let condition: () -> Bool
  /// How deep in nested runs of the mode the loop is; 1 is the run of this.
  private var depth = 0
  private var holds = false

  init(_ mode: CFMode, _ condition: @escaping () -> Bool) {
    self.mode = mode
    self.condition = condition
  }

  /// - Returns: whether the condition holds.
  func run(_ deadline: TestDeadline) -> Bool {
    holds = condition()
    guard !holds else { return true }
    let loop: CFRunLoop = CFRunLoopGetCurrent()
    let keepAlive = LoopSource()
    CFRunLoopAddSource(loop, keepAlive.cf, mode)
    let counter = LoopObserver([.entry, .exit], order: .min) { [unowned self] in depth += $0 == .entry ? 1 : -1 }
    // Behind the tasks, and before the package's last check: the condition may do anything.
    let observer = LoopObserver([.beforeWaiting, .afterWaiting], order: .max - 1) { [unowned self] _ in check() }
    for observer in [counter, observer] { CFRunLoopAddObserver(loop, observer.cf, mode) }
    repeat {
      CFRunLoopRunInMode(mode, deadline.secondsLeft, true)
      holds = holds || condition()
    } while !holds && !deadline.hasPassed
    for observer in [counter, observer] { observer.invalidate() }
    keepAlive.invalidate()
    return holds
  }

  private func check() {
    guard depth == 1 else { return }  // a nested run is not for this to stop
    if !holds { holds = condition() }
    if holds { CFRunLoopStop(CFRunLoopGetCurrent()) }
  }
}

/// When to give up waiting; never without a timeout.
struct TestDeadline {
  /// So far away that it is no limit, and needs no timer.
  private static let noLimit = 1e10

  private let date: ContinuousClock.Instant?

  init(_ timeout: Duration?) { date = timeout.map { .now + $0 } }

  var hasPassed: Bool { date.map { ContinuousClock.now >= $0 } ?? false }

  var secondsLeft: Double {
    guard let date else { return Self.noLimit }
    let (seconds, attoseconds) = ContinuousClock.now.duration(to: date).components
    return max(0, Double(seconds) + Double(attoseconds) / 1e18)
  }
}
