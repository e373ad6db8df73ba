import Foundation
import RunLoopTasks

/// What the main side asks of the secondary one.
struct Request: Sendable {
  let count: Int
}

/// What the main side is told.
enum Message: Sendable {
  case registered(RunLoopSource<Request>, thread: String)
  case alphas([Double], thread: String)
  case left(thread: String)
}

/// The secondary thread: it lives on its run loop, and computes alphas when it is asked to.
final class Secondary: Sendable {
  private let thread = RunLoopThread(name: "secondary")
  private let source: RunLoopSource<Request>

  /// - Parameter main: the main thread's source, for the answers.
  init(main: RunLoopSource<Message>) {
    let registration = Registration()
    source = RunLoopSource(
      onSchedule: { _ in registration.tell(main) },
      onCancel: { _ in main.send(.left(thread: currentThreadName())) },
      perform: { requests in
        // Once this loop's pass ends, for all that was asked until then.
        let count = requests.reduce(0) { max($0, $1.count) }
        RunLoop.current.perform {
          let alphas = (0..<count).map { _ in Double.random(in: 0...1) }
          main.send(.alphas(alphas, thread: currentThreadName()))
        }.when(.currentLoopEnded)
      })
    registration.source = source
  }

  func addSource() {
    thread.taskQueue.perform { [source] in RunLoop.current.add(source, forMode: .default) }
  }

  func removeSource() {
    thread.taskQueue.perform { [source] in RunLoop.current.remove(source, forMode: .default) }
  }
}

/// The source, for its own schedule callback.
private final class Registration: @unchecked Sendable {
  // Unchecked, because the source is set once, before it is added to a loop and so before anybody reads it.
  weak var source: RunLoopSource<Request>?

  func tell(_ main: RunLoopSource<Message>) {
    if let source { main.send(.registered(source, thread: currentThreadName())) }
  }
}

/// What the thread that asks is called.
func currentThreadName() -> String {
  Thread.isMainThread ? "main" : Thread.current.name ?? "unnamed"
}
