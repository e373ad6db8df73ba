import CoreFoundation
import Foundation
import RunLoopTasks

/// The way in which a loop runs beside a backlog.
enum Drive: String, CaseIterable {
  case oneRun = "in one long run", shortRuns = "in runs of run(mode:before:)", runUntil = "in runUntil"
  case thread = "on a RunLoopThread"
}

/// What comes to a loop beside a backlog.
enum Arrival: String, CaseIterable {
  case timer = "a timer", source = "a source", block = "a block of the main queue"
}

extension Peer {
  /// The longest wait of what comes while a loop works off a backlog of tasks of 0.5 ms each: in milliseconds, and in
  /// tasks that began in between. That number is exact, because the tasks call for what comes, and another thread has
  /// no part in it.
  ///
  /// - Parameter others: what else comes.
  func wait(
    of arrival: Arrival, and others: [Arrival] = [], beside backlog: Int, _ job: Job = .idle, _ drive: Drive = .oneRun,
    budget: Duration? = nil
  ) -> (milliseconds: Double, tasks: Double) {
    prepare()
    if budget != nil { RunLoopTaskQueue.main.budget = budget }
    let visits = Visits(of: Set(others + [arrival]), beside: backlog, require(job))
    Work.shared.expect(backlog) { visits.run(drive) }
    guard let longest = visits.longest[arrival] else { fatalError("\(arrival) never came") }
    return longest
  }
}

/// What comes beside a backlog, each again and again: a task calls for it, the first one or a later one after it came.
private final class Visits: @unchecked Sendable {
  // Unchecked, because only the loop's thread uses it, and after its end the thread that waited for that.

  private struct Visitor {
    var call: () -> Void
    /// When it was called, until it comes.
    var date: ContinuousClock.Instant?
    /// The tasks that began since.
    var tasks = 0
    var visits = 0
    /// The tasks to skip before the next call, so that it happens at each place among the tasks of a slice.
    var pause = 0
  }

  private var visitors: [Arrival: Visitor] = [:]
  private let arrivals: Set<Arrival>
  private let backlog: Int
  private let method: Method
  private var begun = 0
  private(set) var longest: [Arrival: (milliseconds: Double, tasks: Double)] = [:]
  private var isOver: Bool { begun == backlog && visitors.values.allSatisfy { $0.date == nil } }

  init(of arrivals: Set<Arrival>, beside backlog: Int, _ method: Method) {
    (self.arrivals, self.backlog, self.method) = (arrivals, backlog, method)
  }

  func run(_ drive: Drive) {
    if drive == .thread {
      let (thread, end) = (RunLoopThread(name: "benchmark"), DispatchSemaphore(value: 0))
      thread.taskQueue.perform { [self] in begin { end.signal() } }
      end.wait()
      return withExtendedLifetime(thread) {}
    }
    begin { if drive != .runUntil { MainLoop.stop() } }
    switch drive {
    case .oneRun: MainLoop.run()
    case .shortRuns: while !isOver { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
    default: RunLoop.current.runUntil { isOver }
    }
  }

  /// Schedules the backlog on the current loop.
  private func begin(end: @escaping () -> Void) {
    for arrival in arrivals {
      visitors[arrival] = Visitor(call: caller(of: arrival) { [self] in come(arrival, end: end) })
    }
    Work.shared.doMore { [self] in
      begun += 1
      for arrival in arrivals { callOrCount(arrival) }
      spin(for: .microseconds(500))
    }
    for left in stride(from: backlog, to: 0, by: -1) { method.schedule(left) }
  }

  /// A task begins, which may call.
  private func callOrCount(_ arrival: Arrival) {
    if visitors[arrival]!.date != nil {
      visitors[arrival]!.tasks += 1
    } else if visitors[arrival]!.pause > 0, begun < backlog {
      visitors[arrival]!.pause -= 1
    } else {
      visitors[arrival]!.date = .now
      visitors[arrival]!.call()
    }
  }

  private func come(_ arrival: Arrival, end: () -> Void) {
    guard let visitor = visitors[arrival], let date = visitor.date else { return }
    let (milliseconds, tasks) = longest[arrival] ?? (0, 0)
    longest[arrival] = (max(milliseconds, (.now - date) / .milliseconds(1)), max(tasks, Double(visitor.tasks)))
    let visits = visitor.visits + 1
    visitors[arrival] = Visitor(call: visitor.call, visits: visits, pause: visits % 10)
    if isOver { end() }
  }

  /// Prepares the current loop for something, and returns what makes it come at once.
  private func caller(of arrival: Arrival, _ come: @escaping () -> Void) -> () -> Void {
    let loop = CFRunLoopGetCurrent()
    switch arrival {
    case .timer:
      let timer = CFRunLoopTimerCreateWithHandler(kCFAllocatorDefault, 1e10, 1e10, 0, 0) { _ in come() }
      CFRunLoopAddTimer(loop, timer, MainLoop.defaultMode)
      return { CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent()) }
    case .source:
      final class Box { let come: () -> Void; init(_ come: @escaping () -> Void) { self.come = come } }
      var context = CFRunLoopSourceContext()
      context.info = Unmanaged.passRetained(Box(come)).toOpaque()
      context.perform = { Unmanaged<Box>.fromOpaque($0!).takeUnretainedValue().come() }
      let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
      CFRunLoopAddSource(loop, source, MainLoop.defaultMode)
      return {
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(loop)
      }
    case .block:
      nonisolated(unsafe) let come = come  // safe, because the main thread calls it and made it
      return { DispatchQueue.main.async { come() } }
    }
  }
}
