import CoreFoundation
import Foundation
import RunLoopTasks
import Synchronization

/// What comes to the main loop every 10 ms.
enum Arrival {
  case timer
  /// A source that another thread signals.
  case source
  /// A block that another thread adds to the main queue.
  case block
}

extension Peer {
  /// The worst lateness of what arrives, in milliseconds, while the loop works off a backlog of tasks.
  func lateness(of arrival: Arrival, beside backlog: Int, _ job: Job, budget: Duration?) -> Double {
    prepare()
    let method = require(job)
    if self == .ours { RunLoopTaskQueue.main.budget = budget }
    Work.shared.beBusy(for: .microseconds(500))
    let end = Work.shared.done + backlog
    // What arrives stops the loop instead of the last task, because it is late until after the last task.
    for left in stride(from: backlog, to: 0, by: -1) { method.schedule(left) }
    var worst = 0.0
    let arrivals = Arrivals { due in
      worst = max(worst, CFAbsoluteTimeGetCurrent() - due)
      if Work.shared.done == end { MainLoop.stop() }
    }
    arrivals.begin(as: arrival)
    Work.shared.expect(backlog) { MainLoop.run() }
    return worst * 1000
  }
}

/// Calls a handler on the main thread every 10 ms, with the time at which the call was due.
private final class Arrivals: @unchecked Sendable {
  // Unchecked, because only the main thread uses the handler, and the source is set before the other thread begins.

  private static let interval = 0.01
  private let handler: (CFAbsoluteTime) -> Void
  /// When the earliest call was due that the source has not made yet.
  private let due = Mutex<CFAbsoluteTime?>(nil)
  private var source: CFRunLoopSource?

  init(_ handler: @escaping (CFAbsoluteTime) -> Void) { self.handler = handler }

  func begin(as arrival: Arrival) {
    switch arrival {
    case .timer: repeatTimer()
    case .source:
      addSource()
      repeatOnThread { [self] date in
        due.withLock { $0 = $0 ?? date }
        CFRunLoopSourceSignal(source!)
        MainLoop.wake()
      }
    case .block: repeatOnThread { [self] date in DispatchQueue.main.async { [self] in handler(date) } }
    }
  }

  private func repeatTimer() {
    var due = CFAbsoluteTimeGetCurrent() + Self.interval
    MainLoop.every(Self.interval, from: due) { [self] in
      handler(due)
      let now = CFAbsoluteTimeGetCurrent()
      while due <= now { due += Self.interval }  // like the timer, which skips the dates that it missed
    }
  }

  private func repeatOnThread(_ body: @escaping @Sendable (CFAbsoluteTime) -> Void) {
    Thread.detachNewThread {
      while true {
        Thread.sleep(forTimeInterval: Self.interval)
        body(CFAbsoluteTimeGetCurrent())
      }
    }
  }

  private func addSource() {
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passRetained(self).toOpaque()
    context.perform = { info in
      let arrivals = Unmanaged<Arrivals>.fromOpaque(info!).takeUnretainedValue()
      if let date = arrivals.due.withLock({ $0.take() }) { arrivals.handler(date) }
    }
    source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
    CFRunLoopAddSource(CFRunLoopGetMain(), source, MainLoop.defaultMode)
  }
}
