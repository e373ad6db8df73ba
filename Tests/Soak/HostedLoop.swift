import Foundation
import RunLoopTasks

/// A run loop with the thread that runs it, and what must be known of it to judge its tasks.
final class HostedLoop: Sendable, CustomStringConvertible {
  private static let numbers = Counter()

  let number: Int
  let pool: LoopPool
  /// Whether only one thread schedules here, and one task at a time, so that no wake-up makes up for a lost one.
  let isQuiet: Bool
  let queue: RunLoopTaskQueue
  /// Schedules for tasks on the loop's own thread.
  let client = Locked(Client())
  /// How deep in nested runs the loop is.
  let depth: Counter
  /// Set before its end may begin.
  let isEnding = Flag()
  /// Set when its end is known to be over.
  let hasEnded = Flag()
  let cancelAllsBegun = Counter()
  let cancelAllsEnded = Counter()

  /// Wakes the loop without a task, and ends a run of one that is driven by hand.
  private let wakeSource: RunLoopSource<CountedObject>
  /// Calls of `wake` that a nested run has served. The run around it must return for them too.
  private let missedWakes: Counter
  /// Signalled at the end of the body of a thread that drives the loop by hand, a little before the loop ends.
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
      // Refers to the thread until the loop does.
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

  /// That of the current thread.
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

  /// Asks the loop for its description. Other threads may wait a tenth of a second for that.
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

  /// Runs the loop by hand, in all ways, until the condition holds. A change of it needs a call of `wake`.
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
      // Returns only when a source was served, so that the loop must wake for tasks by itself.
      if !condition() { _ = loop.run(mode: .default, before: .distantFuture) }
    }
  }

  // MARK: Ending

  /// Ends the loop in one of the ways there are.
  func end(_ random: inout Random) {
    isEnding.set()
    switch random.number(below: 4) {
    case 0: stop(loopThread.exchange(nil))
    case 1 where isDone == nil: _ = loopThread.exchange(nil)  // nobody refers to the thread any more, which stops it
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

  /// Takes off the loop what this has added.
  func invalidate() { wakeSource.invalidate() }
}

/// The loops that there are. Each is replaced now and then, but for the first, the main one.
final class LoopPool: Sendable {
  private let current = Locked<[HostedLoop]>([])

  var loops: [HostedLoop] { current.withLock { $0 } }

  /// Loops on which anybody may schedule.
  var busy: [HostedLoop] { loops.filter { !$0.isQuiet } }

  func add(_ loop: HostedLoop) { current.withLock { $0.append(loop) } }

  /// Puts a new loop in a place, and returns the one that was there.
  func replace(_ place: Int, with new: HostedLoop) -> HostedLoop {
    current.withLock { loops in
      defer { loops[place] = new }
      return loops[place]
    }
  }

  /// Breaks the references between this and the loops.
  func removeAll() { current.withLock { $0 = [] } }
}
