import CoreFoundation
import Foundation

/// The algorithm that the package comes from, written anew: one observer, one array of tasks that is walked whole at each
/// activity, a serial queue of the loop behind each property. Amendments go through the queue asynchronously, reads
/// synchronously.
///
/// It wakes no loop, so the race wakes it, as it does for the floor.
private final class AncestorScheduler: @unchecked Sendable {
  // Unchecked, because the queue guards the variables.

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

private final class AncestorTask: @unchecked Sendable {
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

extension Methods {
  static var ancestor: Methods {
    let scheduler = AncestorScheduler()
    return Methods(
      prepare: { MainLoop.observe(.beforeWaiting) { _ in MainLoop.wake() } },
      schedule: { left in scheduler.perform { Work.shared.run(left: left) }.when(.afterWaiting) },
      park: { scheduler.perform { Work.shared.run(left: 1) }.forModes(.parked) })
  }
}
