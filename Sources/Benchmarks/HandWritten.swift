import CoreFoundation
import Foundation
import Synchronization

/// What no scheduler on a run loop can do without: the caller's `RunLoop.current`, a handle with a closure in an array, and
/// for each batch one pass, woken before it sleeps. For other threads there is a second array, under a lock.
///
/// A pass that ends in `beforeWaiting` and begins with `afterWaiting` needs a wake-up: one that handles a version 0 source
/// would be cheaper, but skips both activities, so no scheduler with these timings could use it.
final class Floor: @unchecked Sendable {
  // Unchecked, because `handles` and `spare` belong to the main thread. The rest is atomic or locked.

  final class Handle {
    let closure: () -> Void
    init(_ closure: @escaping () -> Void) { self.closure = closure }
  }

  static let shared = Floor()

  private var handles: [Handle?] = []
  /// An empty array that has grown already.
  private var spare: [Handle?] = []
  private let lock = Mutex(())
  /// What other threads have sent; under the lock.
  private var sent: [Handle?] = []
  private let hasSent = Atomic(false)

  @discardableResult
  func perform(on _: RunLoop, _ closure: @escaping () -> Void) -> Handle {
    let handle = Handle(closure)
    handles.append(handle)
    return handle
  }

  /// Schedules a closure from another thread.
  @discardableResult
  func send(_ closure: @escaping @Sendable () -> Void) -> Handle {
    let handle = Handle(closure)
    let isFirst = lock.withLock { _ in
      sent.append(handle)
      return !hasSent.exchange(true, ordering: .relaxed)
    }
    if isFirst { MainLoop.wake() }
    return handle
  }

  func listen() {
    MainLoop.observe([.beforeWaiting, .afterWaiting]) { [self] activity in
      if hasSent.load(ordering: .relaxed) { receive() }
      if activity == .afterWaiting { runAll() } else if !handles.isEmpty { MainLoop.wake() }
    }
  }

  private func receive() {
    lock.withLock { _ in
      if handles.isEmpty { swap(&handles, &sent) } else { handles += sent }
      sent.removeAll(keepingCapacity: true)
      hasSent.store(false, ordering: .relaxed)
    }
  }

  private func runAll() {
    var batch = spare
    spare = []
    swap(&batch, &handles)
    for index in batch.indices { batch[index].take()?.closure() }
    batch.removeAll(keepingCapacity: true)
    spare = batch
  }
}

/// The algorithm that the package comes from, written anew: one observer, one array of tasks that is walked whole at each
/// activity, a serial queue of the loop behind each property. Amendments go through the queue asynchronously, reads
/// synchronously.
///
/// It wakes no loop, so the race wakes it before each sleep.
final class Ancestor: @unchecked Sendable {
  // Unchecked, because the queue guards the variables.

  static let shared = Ancestor()

  private let queue = DispatchQueue(label: "ancestor")
  private var tasks: [AncestorTask] = []
  private lazy var observer = MainLoop.observe([.beforeWaiting, .afterWaiting, .exit]) { [self] in hear($0) }

  @discardableResult
  func perform(_ closure: @escaping () -> Void) -> AncestorTask {
    _ = observer
    let task = AncestorTask(queue, closure)
    queue.async { [self] in tasks.append(task) }
    return task
  }

  private func hear(_ activity: CFRunLoopActivity) {
    guard let mode = RunLoop.current.currentMode else { return }
    let all = queue.sync { tasks }
    var waiting: [AncestorTask] = []
    for task in all {
      if task.timing == activity, task.modes.contains(mode) { task.closure() } else { waiting.append(task) }
    }
    guard waiting.count < all.count else { return }
    queue.sync { tasks.replaceSubrange(..<all.count, with: waiting) }
  }
}

final class AncestorTask: @unchecked Sendable {
  // Unchecked, because the queue guards the variables, and the closure is called on the loop's own thread alone.

  private let queue: DispatchQueue
  private var storedTiming = CFRunLoopActivity.afterWaiting
  private var storedModes: [RunLoop.Mode] = [.default]
  let closure: () -> Void

  init(_ queue: DispatchQueue, _ closure: @escaping () -> Void) { (self.queue, self.closure) = (queue, closure) }

  var timing: CFRunLoopActivity { queue.sync { storedTiming } }
  var modes: [RunLoop.Mode] { queue.sync { storedModes } }

  @discardableResult
  func when(_ timing: CFRunLoopActivity) -> AncestorTask {
    queue.async { [self] in storedTiming = timing }
    return self
  }

  @discardableResult
  func forModes(_ modes: RunLoop.Mode...) -> AncestorTask {
    queue.async { [self] in storedModes = modes }
    return self
  }
}
