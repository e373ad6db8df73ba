import Foundation
import RunLoopTasks
import RunLoopVirtualTime

/// A run loop and the thread that runs it: a `RunLoopThread`, or one that drives the loop by hand.
final class SoakLoop: Sendable, CustomStringConvertible {
  /// All loops, the main loop first. Each of the others is replaced by a new one now and then.
  static let all = Locked<[SoakLoop]>([])

  /// Whether only one thread schedules here, one task at a time. Then no other wake-up makes up for a lost one.
  let isQuiet: Bool
  let queue = RunLoop.current.taskQueue
  private let number = Count.loops.add()
  private let threadID = SoakLoop.currentThreadID
  private let thread: Locked<RunLoopThread?>
  /// Whether the thread has left its body.
  private let hasLeft: Flag?
  /// Set before the loop may begin to end.
  private let isEnding = Flag()
  private let (sweepsBegun, sweepsOver) = (Counter(), Counter())
  private let depth = Counter()

  private static var currentThreadID: Int { Int(bitPattern: pthread_self()) }

  /// Takes the loop of the current thread.
  init(isQuiet: Bool = false, _ thread: RunLoopThread? = nil, hasLeft: Flag? = nil) {
    (self.isQuiet, self.thread, self.hasLeft) = (isQuiet, Locked(thread), hasLeft)
  }

  static func start(isQuiet: Bool, _ random: inout Random) -> SoakLoop {
    let (made, isMade) = (Locked<SoakLoop?>(nil), Flag())
    @Sendable func make(_ thread: RunLoopThread?, _ hasLeft: Flag?) -> SoakLoop {
      let loop = SoakLoop(isQuiet: isQuiet, thread, hasLeft: hasLeft)
      made.withLock { $0 = loop }
      isMade.set()
      return loop
    }
    if random.once(in: 2) {
      let thread = RunLoopThread(name: "soak")
      thread.taskQueue.perform { [weak thread] in _ = make(thread, nil) }
      // The thread stops with the last reference to it.
      withExtendedLifetime(thread) { waitUntil("the start of a RunLoopThread") { isMade.isSet } }
    } else {
      let random = random.split()
      Thread {
        let (held, hasLeft) = (Held(.threads), Flag())
        let loop = make(nil, hasLeft)
        loop.drive(random) { loop.isEnding.isSet }
        hasLeft.set()
        held.use()
      }.start()
      waitUntil("the start of a thread") { isMade.isSet }
    }
    return made.withLock { $0! }
  }

  var description: String { "loop \(number), with \(queue.count) tasks pending and \(depth.value) nested runs" }
  var isMain: Bool { queue == .main }
  var isOwnThread: Bool { threadID == Self.currentThreadID }

  /// A loop on which any thread may schedule.
  static func busy(_ random: inout Random) -> SoakLoop {
    all.withLock { loops in random.pick(loops.filter { !$0.isQuiet }) }
  }

  // MARK: Cancelling everything

  /// The calls of `cancelAll` that have returned.
  var sweepsEnded: Int { sweepsOver.value }

  func cancelAll() {
    sweepsBegun.add()
    queue.cancelAll()
    sweepsOver.add()
  }

  /// Whether something may have cancelled a task, other than a call for this task or its key.
  func mayHaveSwept(since sweepsEnded: Int) -> Bool { isEnding.isSet || sweepsBegun.value > sweepsEnded }

  // MARK: Running

  /// Runs the loop by hand in every way until `isOver`, after which a task must wake it.
  func drive(_ random: Random, until isOver: () -> Bool) {
    var random = random
    let loop = RunLoop.current
    while !isOver() {
      let mode = random.pick([RunLoop.Mode.default, .custom])
      switch random.number(below: 6) {
      case 0: loop.runPass(mode: mode)
      case 1: _ = loop.runUntilTasksFinish(mode: mode, timeout: .milliseconds(20))
      case 2: loop.advance(by: .microseconds(100), mode: mode)
      case 3: _ = loop.run(mode: mode, before: Date(timeIntervalSinceNow: 0.001))
      case 4: loop.run(until: .distantPast)
      default:
        var looks = random.number(below: 100)
        loop.runUntil {
          looks -= 1
          return looks < 0 || isOver()
        }
      }
    }
  }

  /// Runs the loop in a task, unless that is nested too deeply already.
  func runNested(mostDepth: Int = 3, _ run: () -> Void) {
    guard depth.value < mostDepth else { return }
    Count.nestedRuns.add()
    depth.add()
    run()
    depth.add(-1)
  }

  // MARK: Ending

  /// Ends the loop.
  ///
  /// - Parameter waits: if not, a `RunLoopThread` stops with the last reference to it.
  func end(waits: Bool = true) {
    isEnding.set()
    if let hasLeft {
      waitUntil("the end of \(self)") {
        queue.perform {}  // again and again, because `cancelAll()` may cancel it
        return hasLeft.isSet
      }
    } else if let thread = thread.withLock({ $0 }), waits {
      thread.stop()
      thread.join()
    } else {
      thread.withLock { $0 = nil }
    }
  }
}
