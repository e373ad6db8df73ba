import Foundation
import RunLoopTasks

extension Peer {
  /// The nanoseconds for one task that async code on another thread awaits. The loop sleeps in between.
  func awaits(times: Int) -> Double {
    prepare()
    let run: @Sendable (Int) -> Duration = { count in
      Task.detached { for left in stride(from: count - 1, through: 0, by: -1) { await runOnMainLoop(left) } }
      return ContinuousClock().measure { Work.shared.expect(count) { MainLoop.run() } }
    }
    _ = run(times / 10)  // makes the one-time allocations
    return run(times).nanoseconds / Double(times)
  }

  private func runOnMainLoop(_ left: Int) async {
    switch self {
    case .ours: try? await RunLoopTaskQueue.main.run { work(left) }
    case .dispatch:
      await withCheckedContinuation { continuation in
        DispatchQueue.main.async {
          work(left)
          continuation.resume()
        }
      }
    case .task: await MainActor.run { work(left) }
    default: fatalError("\(heading) has no task to await")
    }
  }
}
