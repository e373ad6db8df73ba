import Foundation
import RunLoopTasks

/// The schedulers that take part, in the order of the table's columns.
enum Peer: String, CaseIterable {
  case ours, floor, dispatch, perform, idle, task

  /// The head of the column.
  var heading: String { [.dispatch: "Dispatch", .idle: "whenIdle", .task: "Task"][self] ?? rawValue }

  var title: String {
    switch self {
    case .ours: "RunLoopTasks"
    case .floor: "a handle with a closure in an array, run by one observer"
    case .dispatch: "DispatchQueue.main.async"
    case .perform: "Foundation's RunLoop.perform"
    case .idle: "NotificationQueue, .whenIdle"
    case .task: "Task { @MainActor in … }"
    }
  }

  /// Whether scheduling wakes the loop. Foundation's method does not, so the benchmark wakes it once for each batch.
  var wakesLoop: Bool { self != .perform }

  /// Prepares the main loop once, before the first task.
  func prepare() {
    switch self {
    case .floor: Floor.shared.listen()
    case .idle: Notice.listen()
    default: break
    }
  }

  /// The usual way to do a job with this peer; `nil` if the peer cannot do the job.
  func method(for job: Job) -> Method? {
    switch self {
    case .ours: ours(job)
    case .floor: floor(job)
    case .dispatch: dispatch(job)
    case .perform: perform(job)
    case .idle: idle(job)
    case .task: task(job)
    }
  }
}

extension Peer {
  /// Uses the package only where a task is scheduled, because rows of other peers ask for the method as well.
  private func ours(_ job: Job) -> Method? {
    switch job {
    case .began: Method { left in RunLoop.current.perform { work(left) }.when(.nextLoopBegan) }
    case .ended: Method { left in RunLoop.current.perform { work(left) }.when(.currentLoopEnded) }
    case .endedDefault:
      Method { left in RunLoop.current.perform { work(left) }.when(.currentLoopEnded).forModes([.default]) }
    case .endedCommon:
      Method { left in RunLoop.current.perform { work(left) }.when(.currentLoopEnded).forModes(.common) }
    case .coalesced:
      Method(runs: .last) { left in
        RunLoop.current.perform { work(left) }.when(.currentLoopEnded).coalesced(by: 1)
      }
    case .oneCall:
      Method { left in RunLoop.current.perform(when: .currentLoopEnded, forModes: [.common]) { work(left) } }
    case .oneCallCoalesced:
      Method(runs: .last) { left in
        RunLoop.current.perform(when: .currentLoopEnded, forModes: [.common], coalescedBy: "reload") { work(left) }
      }
    case .oneCallOwner:
      Method(runs: .last) { left in
        let key = OwnerKey(owner)
        RunLoop.current.perform(when: .currentLoopEnded, forModes: [.common], coalescedBy: key) { work(left) }
      }
    case .cancelled:
      Method(runs: .none) { left in RunLoop.current.perform { work(left) }.when(.currentLoopEnded).cancel() }
    case .parked: Method { left in RunLoop.current.perform { work(left) }.forModes(RunLoop.Mode("parked")) }
    case .manyOrders:
      Method { left in  // the task that stops the loop comes last
        RunLoop.current.perform { work(left) }.when(.currentLoopEnded).order(left == 0 ? .max : left * 7919 % 1000)
      }
    case .debounced:
      Method(runs: .none) { left in
        RunLoop.current.perform { work(left) }.after(.milliseconds(300)).coalesced(by: 1)
        if left == 0 { RunLoopTaskQueue.main.cancelTask(coalescedBy: 1) }
      }
    case .idle, .byHand: Method { left in RunLoop.current.perform { work(left) }.when(.idle) }
    case .sent: Method { left in RunLoopTaskQueue.main.perform { work(left) } }
    case .posted: Method { left in RunLoopTaskQueue.main.perform(when: .currentLoopEnded) { work(left) } }
    case .postedCoalesced:
      Method(runs: .last) { left in
        RunLoopTaskQueue.main.perform(when: .currentLoopEnded, coalescedBy: 1) { work(left) }
      }
    }
  }

  private func floor(_ job: Job) -> Method? {
    let floor = Floor.shared
    return switch job {
    case .parked, .manyOrders, .debounced, .idle, .byHand: nil
    case .sent, .posted, .postedCoalesced: Method { left in floor.send { work(left) } }
    default: Method { left in floor.perform(on: .current) { work(left) } }
    }
  }

  private func dispatch(_ job: Job) -> Method? {
    if job == .debounced {
      return .replacing(runs: .none) { left in
        let item = DispatchWorkItem { work(left) }
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.3, execute: item)
        return item
      } cancel: {
        $0.cancel()
      }
    }
    if job == .byHand { return .byHand { next in DispatchQueue.main.async { workInChunks(next) } } }
    return .cancelling(job) { left in
      DispatchQueue.main.async { work(left) }
    } scheduleWithHandle: { left in
      let item = DispatchWorkItem { work(left) }
      DispatchQueue.main.async(execute: item)
      return item
    } cancel: {
      $0.cancel()
    }
  }

  private func perform(_ job: Job) -> Method? {
    switch job {
    case .began, .ended: Method { left in RunLoop.current.perform { work(left) } }
    case .endedDefault: Method { left in RunLoop.current.perform(inModes: [.default]) { work(left) } }
    case .endedCommon, .oneCall: Method { left in RunLoop.current.perform(inModes: [.common]) { work(left) } }
    case .parked: Method { left in RunLoop.current.perform(inModes: [RunLoop.Mode("parked")]) { work(left) } }
    case .sent, .posted: Method { left in RunLoop.main.perform { work(left) } }
    case .debounced:
      .replacing(runs: .none) { left in
        Timer.scheduledTimer(withTimeInterval: 0.3, repeats: false) { _ in work(left) }
      } cancel: {
        $0.invalidate()
      }
    default: nil
    }
  }

  private func idle(_ job: Job) -> Method? { job == .idle ? Method { left in Notice { work(left) }.enqueue() } : nil }

  private func task(_ job: Job) -> Method? {
    if job == .debounced {
      return .replacing(runs: .none) { left in
        Task { @MainActor in
          try await Task.sleep(for: .milliseconds(300))
          work(left)
        }
      } cancel: {
        $0.cancel()
      }
    }
    if job == .byHand {
      return .byHand { next in Task { @MainActor in while next() { await Task.yield() } } }
    }
    return .cancelling(job) { left in
      Task { @MainActor in work(left) }
    } scheduleWithHandle: { left in
      // `cancel()` only sets a flag, so the closure checks it.
      Task { @MainActor in if !Task.isCancelled { work(left) } }
    } cancel: {
      $0.cancel()
    }
  }
}

/// Works for 4 ms in this block of the main queue, and lets the next block do the rest.
@Sendable private func workInChunks(_ next: @escaping @Sendable () -> Bool) {
  let end = ContinuousClock.now + .milliseconds(4)
  while next() {
    if .now >= end { return DispatchQueue.main.async { workInChunks(next) } }
  }
}

/// The owner of a key.
private let owner = Notice {}

/// Carries a closure in a notification, because the notification queue takes no closures. An observer calls it.
private final class Notice: Sendable {
  private static let name = Notification.Name("Notice")

  private let closure: @Sendable () -> Void
  init(_ closure: @escaping @Sendable () -> Void) { self.closure = closure }

  static func listen() {
    _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
      ($0.object as? Notice)?.closure()
    }
  }

  func enqueue() {
    NotificationQueue.default.enqueue(Notification(name: Notice.name, object: self), postingStyle: .whenIdle)
  }
}
