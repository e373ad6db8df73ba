import Foundation
import RunLoopTasks
import Synchronization

/// What the main thread asks of the secondary one.
struct Request: Sendable {
  let round: Int
  let count: Int
}

/// What the main thread is told.
enum Message: Sendable {
  case registered(RunLoopSource<Request>, thread: String)
  case alphas([Double], round: Int, thread: String)
  case left(thread: String)
}

/// The secondary thread: it lives on its run loop, and computes alphas when it is asked to.
final class Secondary: Sendable {
  private let thread = RunLoopThread(name: "secondary")
  private let source: RunLoopSource<Request>

  /// - Parameter main: the main thread's source, for the answers.
  init(main: RunLoopSource<Message>) {
    let own = Reference()
    source = RunLoopSource(
      onSchedule: { _ in
        guard let source = own.source.withLock({ $0 }) else { return }
        main.send(.registered(source, thread: currentThreadName()))
      },
      onCancel: { _ in main.send(.left(thread: currentThreadName())) },
      perform: { requests in
        // Older requests were sent before the source was removed and added again: nobody waits for their answers.
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

/// Where the schedule callback of a source finds the source. The two keep each other, for as long as the program runs.
private final class Reference: Sendable {
  let source = Mutex<RunLoopSource<Request>?>(nil)
}
