import Foundation
import RunLoopTasks

/// A run loop, the thread that runs it, and the facts by which the soak judges its tasks.
final class HostedLoop: Sendable, CustomStringConvertible {
  private static let numbers = Counter()

  let number: Int
  let pool: LoopPool
  /// Whether only one thread schedules here, one task at a time. Then no other wake-up makes up for a lost one.
  let isQuiet: Bool
  let queue: RunLoopTaskQueue
  /// The client of the tasks that schedule on the loop's own thread.
  let client = Locked(Client())
  /// The depth of the loop's nested runs.
  let depth: Counter
  /// Set before the loop may begin to end.
  let isEnding = Flag()
  /// Set when the loop has ended for certain.
  let hasEnded = Flag()
  let cancelAllsBegun = Counter()
  let cancelAllsEnded = Counter()

  /// Wakes the loop without a task, which also ends a run that a thread drives by hand.
  private let wakeSource: RunLoopSource<CountedObject>
  /// The calls of `wake` that a nested run has served. The outer run must return for them, too.
  private let missedWakes: Counter
  /// Signalled when a thread that drives the loop by hand leaves its body, a little before the loop ends.
  private let isDone: DispatchSemaphore?
  private let thread = HostedLoop.currentThread
  private let loopThread: Locked<RunLoopThread?>

  private static var currentThread: Int { Int(bitPattern: pthread_self()) }

  /// Starts a loop, on a `RunLoopThread` or on a thread that drives it by hand.
  static func start(_ pool: LoopPool, isQuiet: Bool, _ random: inout Random) -> HostedLoop {
    let (loop, isStarted) = (Locked<HostedLoop?>(nil), DispatchSemaphore(value: 0))
    if random.once(in: 2) {
      let thread = RunLoopThread(name: "soak")
      thread.taskQueue.perform { [weak thread] in
        loop.withLock { $0 = HostedLoop(pool, isQuiet: isQuiet, loopThread: thread) }
        isStarted.signal()
      }
      // Keeps the thread until the loop refers to it.
      withExtendedLifetime(thread) { isStarted.wait(for: "the start of a RunLoopThread") }
    } else {
      let (random, isDone, counted) = (random.split(), DispatchSemaphore(value: 0), CountedObject(.threads))
      Thread {
        let own = HostedLoop(pool, isQuiet: isQuiet, isDone: isDone)
        loop.withLock { $0 = own }
        isStarted.signal()
        own.drive(random) { own.isEnding.isSet }
        counted.use()
        isDone.signal()
      }.start()
      isStarted.wait(for: "the start of a thread")
    }
    return loop.withLock { $0! }
  }

  /// Hosts the loop of the current thread.
  init(_ pool: LoopPool, isQuiet: Bool, loopThread: RunLoopThread? = nil, isDone: DispatchSemaphore? = nil) {
    (self.pool, self.isQuiet, self.loopThread, self.isDone) = (pool, isQuiet, Locked(loopThread), isDone)
    number = Self.numbers.add()
    queue = RunLoop.current.taskQueue
    let (depth, missedWakes, counted) = (Counter(), Counter(), CountedObject(.sources))
    (self.depth, self.missedWakes) = (depth, missedWakes)
    wakeSource = RunLoopSource(
      onSchedule: { _ in Count.sourceModes.add() }, onCancel: { _ in Count.sourceModes.add(-1) },
      perform: { wakes in
        counted.use()
        if depth.value > 0 { missedWakes.add(wakes.count) }
      })
    RunLoop.current.add(wakeSource, forMode: .default)
    Count.loops.add()
  }

  var description: String { "loop \(number)" }
  var isMain: Bool { queue == .main }
  var isOwnThread: Bool { thread == Self.currentThread }

  func wake() { wakeSource.send(CountedObject(.commands)) }

  func cancelAll() {
    cancelAllsBegun.add()
    queue.cancelAll()
    cancelAllsEnded.add()
  }

  /// Checks the description of the loop. Other threads may wait a tenth of a second for it.
  func checkDescription() {
    let hadEnded = hasEnded.isSet
    let description = queue.debugDescription
    let isRight = description.hasSuffix("ended") ? isEnding.isSet : !hadEnded && description.contains("pending")
    if !isRight { Monitor.complain("\(self) describes itself as \(description)") }
  }

  // MARK: Running

  /// Runs the loop in a task.
  func runNested(_ run: () -> Void) {
    Count.nestedRuns.add()
    depth.add()
    run()
    if depth.add(-1) == 0, missedWakes.value > 0 {
      missedWakes.add(-missedWakes.value)
      wake()
    }
  }

  /// Runs the loop by hand, in every way, until the condition holds. After the condition has changed, call `wake`.
  func drive(_ random: Random, until condition: () -> Bool) {
    var random = random
    let loop = RunLoop.current
    while !condition() {
      for _ in 0..<random.number(below: 4) {
        let mode = random.pick([RunLoop.Mode.default, .custom])
        switch random.number(below: 4) {
        case 0: loop.runPass(mode: mode)
        case 1: loop.runUntilTasksFinish(mode: mode, timeout: .milliseconds(20))
        case 2: _ = loop.run(mode: mode, before: .distantPast)
        default: loop.run(until: .distantPast)
        }
      }
      // This run returns only after a source, so the loop must wake for tasks by itself.
      if !condition() { _ = loop.run(mode: .default, before: .distantFuture) }
    }
  }

  // MARK: Ending

  /// Ends the loop in a random way.
  func end(_ random: inout Random) {
    isEnding.set()
    switch random.number(below: 4) {
    case 0: stop(loopThread.exchange(nil))
    case 1 where isDone == nil: _ = loopThread.exchange(nil)  // the thread stops with the last reference to it
    default: endAndWait()
    }
  }

  func endAndWait() {
    isEnding.set()
    let loopThread = loopThread.exchange(nil)
    stop(loopThread)
    if let loopThread {
      Monitor.watch("join() of \(self)") { loopThread.join() }
      hasEnded.set()
    }
    isDone?.wait(for: "the end of \(self)")
  }

  private func stop(_ loopThread: RunLoopThread?) {
    if let loopThread { loopThread.stop() } else { wake() }
  }

  /// Removes the source from the loop.
  func invalidate() { wakeSource.invalidate() }
}

/// All loops. The workload replaces each of them now and then, except for the first, the main loop.
final class LoopPool: Sendable {
  private let current = Locked<[HostedLoop]>([])

  var loops: [HostedLoop] { current.withLock { $0 } }

  /// The loops on which any thread may schedule.
  var busy: [HostedLoop] { loops.filter { !$0.isQuiet } }

  func add(_ loop: HostedLoop) { current.withLock { $0.append(loop) } }

  /// Puts a new loop in a place and returns the loop that was there.
  func replace(_ place: Int, with new: HostedLoop) -> HostedLoop {
    current.withLock { loops in
      defer { loops[place] = new }
      return loops[place]
    }
  }

  /// Breaks the reference cycles between the pool and its loops.
  func removeAll() { current.withLock { $0 = [] } }
}
