import Foundation
import RunLoopTasks

/// The worker thread's answer.
struct Answer: Sendable {
  let round: Int
  let alphas: [Double]
  let thread: String
}

/// A message to the main thread's source.
enum Message: Sendable {
  case registered(RunLoopSource<Int>, thread: String)
  case left(thread: String)
}

/// The worker thread. It runs its loop and computes alphas on request.
final class Worker: Sendable {
  private let thread = RunLoopThread(name: "worker")
  /// Receives the numbers of rounds, for which the main thread asks for alphas.
  private let source: RunLoopSource<Int>

  /// - Parameter answer: receives the alphas, on the worker thread.
  init(main: RunLoopSource<Message>, answer: @escaping @Sendable (Answer) -> Void) {
    // Leads from the schedule callback to its source. The two keep each other alive until the program exits.
    let own = Locked<RunLoopSource<Int>?>(nil)
    source = RunLoopSource(
      onSchedule: { _ in
        guard let source = own.withLock({ $0 }) else { return }
        main.send(.registered(source, thread: currentThreadName()))
      },
      onCancel: { _ in main.send(.left(thread: currentThreadName())) },
      perform: { rounds in
        // Older questions come from before a stop and a new start. The main thread does not wait for their answers.
        guard let round = rounds.last else { return }
        RunLoop.current.perform {
          answer(Answer(round: round, alphas: Cells.alphas(of: round), thread: currentThreadName()))
        }.when(.currentLoopEnded)
      })
    own.withLock { $0 = source }
  }

  func addSource() {
    thread.taskQueue.perform { [source] in RunLoop.current.add(source, forMode: .default) }
  }

  func removeSource() {
    thread.taskQueue.perform { [source] in RunLoop.current.remove(source, forMode: .default) }
  }
}

/// The name of the thread that calls this.
private func currentThreadName() -> String { Thread.current.name ?? "unnamed" }
