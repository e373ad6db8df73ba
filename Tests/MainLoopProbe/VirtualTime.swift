import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Synchronization

/// Async code that sleeps a second again and again on the clock of a loop, and counts.
///
/// Each call of `advance(by:)` lets so many seconds pass. Prints in how many calls the number of sleeps was another
/// one, besides the first ten of these numbers.
struct VirtualTime: Sendable {
  /// Which code sleeps.
  enum Place: String { case main, thread, elsewhere, other, none }
  /// As what it knows the clock.
  enum Way: String { case loop, some, any }

  var (place, way, calls, sleeps) = (Place.main, Way.loop, 1, 3_600)
  /// What follows each sleep, and how often.
  var (link, length) = (ChainLink.detached, 0)
  /// Threads that spin, and jobs that block Swift's shared threads for a second, one after the other.
  var (busy, blocked) = (0, 0)
  /// Jobs of the lowest priority that spin.
  var background = 0
  /// How many such codes and loops there are side by side. More than one only of `thread`.
  var sideBySide = 1

  init(_ arguments: ArraySlice<String>) {
    for argument in arguments {
      let parts = argument.split(separator: "=").map(String.init)
      let number = Int(parts[1]) ?? 0
      switch parts[0] {
      case "place": place = Place(rawValue: parts[1])!
      case "way": way = Way(rawValue: parts[1])!
      case "calls": calls = number
      case "sleeps": sleeps = number
      case "busy": busy = number
      case "blocked": blocked = number
      case "background": background = number
      case "link": link = ChainLink(rawValue: parts[1])!
      case "length": length = number
      case "side": sideBySide = number
      default: fatalError("no such argument: \(argument)")
      }
    }
  }

  func run() {
    for _ in 0..<busy { Thread { while true {} }.start() }
    for _ in 0..<background { Task.detached(priority: .background) { while true {} } }
    for _ in 0..<blocked {
      for priority in [TaskPriority.high, .medium, .low] { Self.block(priority) }
    }
    let wrong = Locked<[Int]>([])
    if sideBySide > 1 || place == .thread {
      let group = DispatchGroup()
      for _ in 0..<sideBySide {
        group.enter()
        Thread {
          runOnThread(wrong)
          group.leave()
        }.start()
      }
      group.wait()
    } else {
      let count = Count()
      begin(count, RunLoop.main.taskQueue.clock)
      for _ in 1...calls { advance(count, wrong) }
    }
    let numbers = wrong.withLock { $0 }
    say("\(numbers.count) wrong\(numbers.isEmpty ? "" : ": \(numbers.prefix(10))")")
  }

  private static func block(_ priority: TaskPriority) {
    Task.detached(priority: priority) {
      usleep(1_000_000)
      block(priority)
    }
  }

  private func runOnThread(_ wrong: Locked<[Int]>) {
    let (thread, count, isOver) = (RunLoopThread(name: "loop"), Count(), DispatchSemaphore(value: 0))
    let ticker = ThreadSleeper(thread)
    thread.taskQueue.perform {
      switch place {
      case .thread: ticker.begin(count, self, thread.taskQueue.clock)
      case .main, .elsewhere, .other, .none: begin(count, thread.taskQueue.clock)
      }
    }
    for _ in 1...calls {
      thread.taskQueue.perform {
        advance(count, wrong)
        isOver.signal()
      }
      isOver.wait()
    }
    thread.stop()
  }

  private func begin(_ count: Count, _ clock: RunLoopClock) {
    switch place {
    case .main: Task { @MainActor in try await sleepOnMainActor(count, clock) }
    case .elsewhere:
      ThreadSleeper(RunLoopThread(name: "elsewhere")).begin(count, self, clock)
      // Until it sleeps, its code is on a thread that `advance` does not wait for.
      while RunLoopTaskQueue.main.count == 0 { usleep(1_000) }
    case .other:
      let sleeper = OtherSleeper()
      Task { try await sleeper.run(count, self, clock) }
    case .none: Task.detached { try await sleep(count, clock) }
    case .thread: fatalError("the thread's actor begins itself")
    }
  }

  @MainActor private func sleepOnMainActor(_ count: Count, _ clock: RunLoopClock) async throws {
    try await sleep(count, clock)
  }

  private func advance(_ count: Count, _ wrong: Locked<[Int]>) {
    let before = count.value
    RunLoop.current.advance(by: .seconds(sleeps) + .milliseconds(calls == 1 ? 500 : 0))
    let number = count.value - before
    if number != sleeps { wrong.withLock { $0.append(number) } }
  }

  nonisolated(nonsending) func sleep(_ count: Count, _ clock: RunLoopClock) async throws {
    while true {
      switch way {
      case .loop: try await clock.sleep(for: .seconds(1))
      case .some: try await sleepASecond(clock)
      case .any: try await (clock as any Clock<Duration>).sleep(for: .seconds(1))
      }
      if length > 0 { await link.follow(length) }  // which hops to the shared threads
      count.add()
    }
  }

  private nonisolated(nonsending) func sleepASecond<C: Clock<Duration>>(_ clock: C) async throws {
    try await clock.sleep(for: .seconds(1))
  }
}

final class Count: Sendable {
  private let number = Atomic(0)
  var value: Int { number.load(ordering: .acquiring) }
  func add() { number.add(1, ordering: .releasing) }
}

private actor ThreadSleeper {
  private let thread: RunLoopThread
  private var calls = 0
  init(_ thread: RunLoopThread) { self.thread = thread }
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  nonisolated func begin(_ count: Count, _ time: VirtualTime, _ clock: RunLoopClock) {
    Task { try await run(count, time, clock) }
  }

  private func run(_ count: Count, _ time: VirtualTime, _ clock: RunLoopClock) async throws {
    calls += 1  // a use of the actor
    try await time.sleep(count, clock)
  }
}

private actor OtherSleeper {
  private var calls = 0
  func run(_ count: Count, _ time: VirtualTime, _ clock: RunLoopClock) async throws {
    calls += 1  // a use of the actor
    try await time.sleep(count, clock)
  }
}
