import CoreFoundation
import Foundation
import Synchronization

/// The least that a scheduler on a run loop must do. It puts a handle with a closure into an array and runs each batch
/// in one pass, for which it wakes the loop. The tasks of other threads have a second array with a lock.
final class Floor: @unchecked Sendable {
  // Unchecked, because `handles` and `spare` belong to the main thread. The rest is atomic or locked.

  final class Handle {
    let closure: () -> Void
    init(_ closure: @escaping () -> Void) { self.closure = closure }
  }

  static let shared = Floor()

  private var handles: [Handle?] = []
  /// An empty array with the capacity of an earlier batch.
  private var spare: [Handle?] = []
  private let lock = Mutex(())
  private var sent: [Handle?] = []  // with the lock
  private let hasSent = Atomic(false)

  @discardableResult
  func perform(on _: RunLoop, _ closure: @escaping () -> Void) -> Handle {
    let handle = Handle(closure)
    handles.append(handle)
    return handle
  }

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
