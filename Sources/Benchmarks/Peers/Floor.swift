import CoreFoundation
import Foundation

/// What no scheduler on a run loop can do without: the caller's `RunLoop.current`, a handle with a closure in an array, and
/// for each batch one pass, woken before it sleeps.
///
/// A pass that ends in `beforeWaiting` and begins with `afterWaiting` needs a wake-up: one that handles a version 0 source
/// would be cheaper, but skips both activities, so no scheduler with these timings could use it.
private final class Floor {
  final class Handle {
    let closure: () -> Void
    init(_ closure: @escaping () -> Void) { self.closure = closure }
  }

  private var handles: [Handle?] = []
  /// An empty array that has grown already.
  private var spare: [Handle?] = []

  @discardableResult
  func perform(on _: RunLoop, _ closure: @escaping () -> Void) -> Handle {
    let handle = Handle(closure)
    handles.append(handle)
    return handle
  }

  func listen() {
    MainLoop.observe([.beforeWaiting, .afterWaiting]) { [self] activity in
      if activity == .afterWaiting { runAll() } else if !handles.isEmpty { MainLoop.wake() }
    }
  }

  func removeAll() { handles.removeAll(keepingCapacity: true) }

  private func runAll() {
    var batch = spare
    spare = []
    swap(&batch, &handles)
    for index in batch.indices { batch[index].take()?.closure() }
    batch.removeAll(keepingCapacity: true)
    spare = batch
  }
}

extension Methods {
  static var floor: Methods {
    let floor = Floor()
    return Methods(
      prepare: { floor.listen() },
      schedule: { left in floor.perform(on: .current) { Work.shared.run(left: left) } },
      // It does not cancel: this is what it costs to have been given a task.
      cancelling: Cancelling(
        schedule: { left in floor.perform(on: .current) { Work.shared.run(left: left) } },
        cancel: { _ in }, settle: { floor.removeAll() }))
  }
}
