import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Synchronization

/// A hook of other code for the jobs of async code, as swift-concurrency-extras sets one.
enum OtherJobHook {
  typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

  static let calls = Atomic(0)

  private static let hook: Hook = { job, enqueue in
    calls.add(1, ordering: .relaxed)
    enqueue(job)
  }

  private static func set() {
    let variable = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook")!
    variable.assumingMemoryBound(to: Hook?.self).pointee = hook
  }

  /// Sets the hook before `advance(by:)` sets its own, or after that, and lets async code run.
  static func run(isFirst: Bool) {
    if isFirst { set() }
    RunLoop.main.advance(by: .zero)
    if !isFirst { set() }
    let callsBefore = calls.load(ordering: .relaxed)
    for _ in 1...2 {
      let count = Count()
      Task {
        for _ in 1...20 {
          try await (RunLoopTaskQueue.main.clock as any Clock<Duration>).sleep(for: .seconds(1))
          await ChainLink.detached.follow(isFirst ? 30 : 1)
          count.add()
        }
      }
      RunLoop.main.advance(by: .seconds(20))
      say("\(count.value)")
    }
    say("\(calls.load(ordering: .relaxed) > callsBefore)")
  }
}

/// What code does between two sleeps.
enum ChainLink: String {
  case detached, continuation, yield, stream, group

  func follow(_ length: Int) async {
    for _ in 0..<length { await follow() }
  }

  private func follow() async {
    switch self {
    case .detached: await Task.detached {}.value
    case .continuation:
      await withCheckedContinuation { continuation in Task.detached { continuation.resume() } }
    case .yield: await Task.yield()
    case .stream:
      let (elements, feed) = AsyncStream.makeStream(of: Int.self)
      Task.detached {
        feed.yield(1)
        feed.finish()
      }
      for await _ in elements {}
    case .group: await withTaskGroup { group in for _ in 1...2 { group.addTask { await Task.yield() } } }
    }
  }
}
