import Foundation

/// What another thread leaves for the loop's own thread to do.
enum Mail: Sendable {
  case schedule(Post)
  case amend(RunLoopTask, Amendment)
  /// Let go of a task that was cancelled.
  case discard(RunLoopTask)
  /// Let go of all tasks that were cancelled together.
  case discardOutdated
  /// Answer a question that only the loop's own thread can answer.
  case ask(@Sendable () -> Void)

  var post: Post? {
    if case .schedule(let post) = self { post } else { nil }
  }

  /// The modes to hold until this is read.
  var modes: [RunLoop.Mode] {
    switch self {
    case .schedule(let post): post.modes
    case .amend(_, .modes(let modes)): modes
    case .ask: [.common]
    case .amend, .discard, .discardOutdated: []
    }
  }
}

/// A new task, and when to run it.
struct Post: Sendable {
  let task: RunLoopTask
  let timing: RunLoopTask.Timing
  let modes: [RunLoop.Mode]
  let key: PostedKey?
}

/// A key to coalesce by. Few tasks have one, so it is kept apart, and does not make all mail larger.
final class PostedKey: Sendable {
  let value: any Hashable & Sendable

  init(_ value: any Hashable & Sendable) { self.value = value }
}

/// A change to a pending task.
enum Amendment: Sendable {
  case timing(RunLoopTask.Timing)
  case modes([RunLoop.Mode])
  case key(PostedKey)
}
