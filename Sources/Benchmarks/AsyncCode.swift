import CoreFoundation
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

extension Peer {
  /// Measures the main actor of a program with an async main, prints the nanoseconds for each of its jobs and ends the
  /// process.
  ///
  /// An async main that suspends leaves the main thread to the run loop with `RunLoopMain`, and to Dispatch without it.
  /// Here a main that is not async does the same.
  ///
  /// - Parameter size: the number of jobs that another thread sends at once, before it waits for all of them.
  func sendJobs(_ size: Int, times: Int) -> Double {
    Task.detached {
      await Self.sendJobs(size, times: times / 10)  // makes the one-time allocations
      let start = ContinuousClock.now
      await Self.sendJobs(size, times: times)
      print((ContinuousClock.now - start).nanoseconds / Double(times * size))
      exit(0)
    }
    guard self == .ours else { dispatchMain() }
    while true { MainLoop.run() }
  }

  @concurrent private static func sendJobs(_ size: Int, times: Int) async {
    for _ in 0..<times {
      if size == 1 {
        await hop()
      } else {
        await withTaskGroup { group in
          for _ in 0..<size { group.addTask { await hop() } }
        }
      }
    }
  }

  @MainActor private static func hop() { jobs += 1 }
  @MainActor private static var jobs = 0
}
