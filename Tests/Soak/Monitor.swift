import Foundation

/// Counts complaints, judges tasks that have ended, and ends the program with a report when something hangs.
enum Monitor {
  /// The longest time for anything, on a busy machine and under a sanitizer.
  private static let patience = Duration.seconds(120)
  private static let interval = 0.05
  private static let mostComplaints = 20

  private static let complaints = Counter()
  /// The current waits and their beginnings.
  private static let waits = Locked<[Int: (what: String, since: ContinuousClock.Instant)]>([:])
  private static let waitNumbers = Counter()
  /// The tasks that have not been judged. While the monitor judges them, only `openCount` includes them.
  private static let openTasks = Locked<[TrackedTask]>([])
  private static let openCount = Counter()
  private static let isStopped = Flag()

  // MARK: Complaints

  static var complaintCount: Int { complaints.value }

  /// Prints a complaint. The soak goes on.
  static func complain(_ what: String) {
    let number = complaints.add()
    if number <= mostComplaints { say("soak: \(what)") }
    if number == mostComplaints { say("soak: further complaints are only counted") }
  }

  static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

  // MARK: Waits

  /// Calls a body that may block.
  static func watch<Result>(_ what: String, _ body: () -> Result) -> Result {
    let number = beginWait(what)
    defer { endWait(number) }
    return body()
  }

  /// Calls a body that may suspend.
  static func watch<Result>(
    _ what: String, isolation: isolated (any Actor)? = #isolation, _ body: () async -> Result
  ) async -> Result {
    let number = beginWait(what)
    defer { endWait(number) }
    return await body()
  }

  private static func beginWait(_ what: String) -> Int {
    let number = waitNumbers.add()
    waits.withLock { $0[number] = (what, .now) }
    return number
  }

  private static func endWait(_ number: Int) { waits.withLock { $0[number] = nil } }

  // MARK: Tasks

  static func open(_ task: TrackedTask) {
    openCount.add()
    openTasks.withLock { $0.append(task) }
  }

  /// One of the latest tasks; `nil` if there is none.
  static func latestTask(_ random: inout Random) -> TrackedTask? {
    openTasks.withLock { $0.suffix(256).randomElement(using: &random) }
  }

  /// Waits until every task has ended, no loop has a pending task, and all closures are released.
  static func waitForTasks(of pool: LoopPool, _ what: String) {
    watch(what) {
      while openCount.value > 0 || !Count.left([.closures, .keys]).isEmpty
        || pool.loops.contains(where: { $0.queue.count != 0 })
      {
        Thread.sleep(forTimeInterval: interval)
      }
    }
  }

  // MARK: The watchdog

  /// Starts the thread that judges tasks after their end and finds tasks and waits that hang.
  static func start(_ pool: LoopPool) {
    Thread {
      while !isStopped.isSet {
        let tasks = openTasks.exchange([])
        let open = tasks.filter { !$0.judge() }
        openTasks.withLock { $0 = open + $0 }
        openCount.add(open.count - tasks.count)
        let late = open.filter { $0.age > patience }.map { "\($0): \($0.progress)" }
        let now = ContinuousClock.now
        let stuck = waits.withLock { $0.values.filter { $0.since.duration(to: now) > patience }.map(\.what) }
        if !late.isEmpty || !stuck.isEmpty { report(late, stuck.sorted(), pool) }
        Thread.sleep(forTimeInterval: interval)
      }
    }.start()
  }

  static func stop() { isStopped.set() }

  /// Prints the tasks and waits that hang, and ends the program.
  private static func report(_ late: [String], _ stuck: [String], _ pool: LoopPool) -> Never {
    let loops = pool.loops.filter { $0.queue.count > 0 || $0.depth.value > 0 }
    let states = loops.map { "\($0): \($0.queue.count) tasks pending, \($0.depth.value) nested runs" }
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    say("soak: something hangs")
    for (title, lines) in [("\(late.count) tasks do not end", late), ("waits", stuck), ("loops", states)] {
      say("\(title):\n" + lines.prefix(mostComplaints).map { "  \($0)\n" }.joined())
    }
    // If the processor time is short, the machine was too busy for this program.
    say("\(Count.table)\n\n\(time.tv_sec) s of processor time")
    _exit(1)  // `exit` might wait for what hangs
  }
}

extension DispatchSemaphore {
  /// Waits for the signal, watched by the monitor.
  func wait(for what: @autoclosure () -> String) {
    if wait(timeout: .now()) == .success { return }
    Monitor.watch(what()) { wait() }
  }
}

/// The counters of events and of living objects.
enum Count: String, CaseIterable {
  case scheduled = "tasks scheduled on other threads' loops"
  case scheduledHere = "tasks scheduled on the loop's own thread"
  case late = "tasks scheduled on loops that had ended"
  case ran = "tasks run"
  case cancelled = "tasks cancelled one by one"
  case replaced = "tasks replaced by key"
  case swept = "tasks cancelled with all others or by the end of their loop"
  case changed = "tasks changed after they were scheduled"
  case awaited = "awaits of run()"
  case actorCalls = "calls of actors on a thread"
  case delivered = "commands delivered by sources"
  case nestedRuns = "nested runs"
  case loops = "loops started"

  // Objects that closures capture, and the modes of sources. At the end none may be alive.
  case closures = "closures of tasks"
  case keys = "keys"
  case commands = "commands of sources"
  case sources = "closures of sources"
  case sourceModes = "modes that sources are in"
  case threads = "bodies of threads"

  static let alive: [Count] = [.closures, .keys, .commands, .sources, .sourceModes, .threads]
  private static let counters = Dictionary(uniqueKeysWithValues: allCases.map { ($0, Counter()) })

  var value: Int { Self.counters[self]!.value }

  func add(_ change: Int = 1) { Self.counters[self]!.addRelaxed(change) }

  static var table: String {
    let lines = allCases.filter { !alive.contains($0) }.map { "\($0.value)  \($0.rawValue)" }
    return (lines + left(alive)).joined(separator: "\n")
  }

  /// The living objects of these kinds, in words.
  static func left(_ kinds: [Count]) -> [String] {
    kinds.filter { $0.value != 0 }.map { "\($0.value) \($0.rawValue) left" }
  }
}

/// An object that closures capture. The soak counts it as long as it is alive.
final class CountedObject: Sendable {
  private let kind: Count
  private let window: Window?

  /// - Parameter window: the window that the object leaves at its end.
  init(_ kind: Count, in window: Window? = nil) {
    (self.kind, self.window) = (kind, window)
    kind.add()
  }

  deinit {
    kind.add(-1)
    window?.leave()
  }

  /// Makes a closure capture the object.
  func use() {}
}
