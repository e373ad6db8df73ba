import Foundation
import RunLoopTasks

/// Hands reports to a handler, one after the other, on a queue of its own.
final class HangReports: Sendable {
  typealias Handler = @Sendable (RunLoopHang) -> Void

  /// How many reports wait at most while the handler is busy. The oldest ones go.
  private static let most = 100

  private struct State {
    /// `nil` once no more reports are wanted.
    var handler: Handler?
    var waiting: [RunLoopHang] = []
    var isBusy = false
  }

  private let state: Locked<State>
  private let queue = DispatchQueue(label: "RunLoopTracing.hangs", qos: .utility)

  init(_ handler: @escaping Handler) { state = Locked(State(handler: handler)) }

  func add(_ report: RunLoopHang) {
    let mustStart = state.withLock { state in
      guard state.handler != nil else { return false }
      if state.waiting.count == Self.most { state.waiting.removeFirst() }
      state.waiting.append(report)
      return !exchange(&state.isBusy, with: true)
    }
    if mustStart { queue.async { [self] in handOver() } }
  }

  /// The handler is not called any more, except for a call under way.
  func end() {
    // The release of the handler may run any code, so not with the lock held.
    let handler = state.withLock { state in
      state.waiting = []
      return exchange(&state.handler, with: nil)
    }
    withExtendedLifetime(handler) {}
  }

  /// The reports that wait are the last ones.
  func endAfterAll() { queue.async { [self] in end() } }

  private func handOver() {
    while let (handler, report) = state.withLock({ Self.next(&$0) }) { handler(report) }
  }

  private static func next(_ state: inout State) -> (Handler, RunLoopHang)? {
    guard let handler = state.handler, !state.waiting.isEmpty else {
      state.isBusy = false
      return nil
    }
    return (handler, state.waiting.removeFirst())
  }

  private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
    defer { value = new }
    return value
  }
}
