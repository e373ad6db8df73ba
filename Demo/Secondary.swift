import Foundation
import RunLoopTasks
import Synchronization

/// The main thread's question to the secondary thread.
struct Request: Sendable {
  let round: Int
  let count: Int
}

/// A message to the main thread.
enum Message: Sendable {
  case registered(RunLoopSource<Request>, thread: String)
  case alphas([Double], round: Int, thread: String)
  case left(thread: String)
}

/// The secondary thread. It runs its loop and computes alphas on request.
final class Secondary: Sendable {
  private let thread = RunLoopThread(name: "secondary")
  private let source: RunLoopSource<Request>

  /// - Parameter main: the main thread's source, which receives the answers.
  init(main: RunLoopSource<Message>) {
    let own = Reference()
    source = RunLoopSource(
      onSchedule: { _ in
        guard let source = own.source.withLock({ $0 }) else { return }
        main.send(.registered(source, thread: currentThreadName()))
      },
      onCancel: { _ in main.send(.left(thread: currentThreadName())) },
      perform: { requests in
        // Older requests come from before a stop and a new start. The main thread does not wait for their answers.
        guard let request = requests.last else { return }
        RunLoop.current.perform {
          let alphas = (0..<request.count).map { _ in Double.random(in: 0...1) }
          main.send(.alphas(alphas, round: request.round, thread: currentThreadName()))
        }.when(.currentLoopEnded)
      })
    own.source.withLock { $0 = source }
  }

  func addSource() {
    thread.taskQueue.perform { [source] in RunLoop.current.add(source, forMode: .default) }
  }

  func removeSource() {
    thread.taskQueue.perform { [source] in RunLoop.current.remove(source, forMode: .default) }
  }
}

/// Leads from a source's schedule callback to the source. The two keep each other alive until the program exits.
private final class Reference: Sendable {
  let source = Mutex<RunLoopSource<Request>?>(nil)
}
