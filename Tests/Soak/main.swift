import Arguments
import Foundation
import RunLoopTasks
import RunLoopVirtualTime

// Works many loops at once: threads and Swift's tasks schedule on them, and the loops start and end. Every task must
// run once or be cancelled, no loop may sleep on one, and at the end nothing may be left. Which task runs when is not
// checked here. Exits with 1 if something is wrong.

private struct Options {
  static let usage = """
    usage: Soak [--seconds N] [--seed N]

      --seconds N   run for N seconds; the default is 60
      --seed N      start the random choices at N; the interleaving of the
                    threads still varies
    """

  private(set) var seconds = 60
  private(set) var seed = Int.random(in: 1...999_999)

  init(_ arguments: Arguments) throws(UsageError) {
    var arguments = arguments
    while let argument = arguments.next() {
      switch argument {
      case "--seconds": seconds = try arguments.number(of: argument)
      case "--seed": seed = try arguments.number(of: argument)
      default: throw UsageError("unknown argument '\(argument)'")
      }
    }
  }
}

/// Starts threads and Swift's tasks that work until `isOver`.
///
/// - Returns: the number of those that are still at work.
private func startWork(quietPlaces: [Int], until isOver: Flag, _ random: inout Random) -> Counter {
  let atWork = Counter()
  func start(_ count: Int, _ work: @escaping @Sendable (inout Random) -> Void) {
    for _ in 0..<count {
      let own = random.split()
      atWork.add()
      Thread {
        var random = own
        while !isOver.isSet { work(&random) }
        atWork.add(-1)
      }.start()
    }
  }
  func startTasks(_ count: Int, _ work: @escaping @Sendable (inout Random) async -> Void) {
    for _ in 0..<count {
      let own = random.split()
      atWork.add()
      Task.detached {
        var random = own
        while !isOver.isSet { await work(&random) }
        atWork.add(-1)
      }
    }
  }
  for place in quietPlaces { start(1) { scheduleAlone(place, &$0) } }
  start(8, schedule)
  start(2, interfere)
  start(2, replaceLoop)
  start(2, useSource)
  startTasks(4, awaitTask)
  startTasks(2, sleepByClock)
  startTasks(2, useThreadOfActor)
  return atWork
}

/// Lets the loops work for some time, and ends all but the main loop. The main thread runs its loop meanwhile.
private func work(for seconds: Int, _ random: Random) {
  var random = random
  let quietPlaces = Array(stride(from: 1, through: 32, by: 4))
  for place in 1...32 {
    let loop = SoakLoop.start(isQuiet: quietPlaces.contains(place), &random)
    SoakLoop.all.withLock { $0.append(loop) }
  }
  let isOver = Flag()
  let atWork = startWork(quietPlaces: quietPlaces, until: isOver, &random)
  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end, complaintCount == 0 {
    _ = SoakTask.lookAtAll()
    Thread.sleep(forTimeInterval: 0.05)
  }
  isOver.set()
  waitUntil("the end of the work") { SoakTask.lookAtAll() >= 0 && atWork.value == 0 }
  waitUntil("all tasks") { SoakTask.lookAtAll() == 0 }
  let loops = SoakLoop.all.withLock { $0 }
  for loop in loops.dropFirst() { loop.end() }
  waitUntil("the tasks of loops that ended") { SoakTask.lookAtAll() == 0 }
}

/// The number of threads or of file descriptors of the process, on systems with `/proc/self`.
private func count(_ folder: String) -> Int {
  ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)")) ?? []).count
}

/// Runs the soak, on the main thread, and then waits until nothing is left of it.
private func soak(_ options: Options) {
  let (random, isDone) = (Random(state: UInt64(options.seed)), Flag())
  let mainLoop = SoakLoop()
  for mode: RunLoop.Mode in [.default, .custom, .neverRun] { RunLoop.main.runPass(mode: mode) }  // which the loop keeps
  // Dispatch keeps a thread, and descriptors for its timers. The thread sanitizer has a thread, too. `advance` keeps a
  // mode of the main loop, which has two descriptors.
  let (threads, descriptors) = (count("task") + 2, count("fd") + 6)

  SoakLoop.all.withLock { $0 = [mainLoop] }
  Thread {
    work(for: options.seconds, random)
    isDone.set()
    mainLoop.queue.perform {}
  }.start()
  mainLoop.drive(random) { isDone.isSet }
  SoakLoop.all.withLock { $0 = [] }
  RunLoop.main.advance(by: .seconds(1))  // The loop forgets the keys whose intervals have ended.

  // Threads free their loops after the last event that the program can wait for, and Dispatch's threads end some
  // seconds after their last work.
  waitUntil("the end of \(count("task")) threads with \(count("fd")) descriptors, \(threads) and \(descriptors) before")
  {
    Count.isNothingLeft && count("task") <= threads && count("fd") <= descriptors
  }
}

private let options: Options
do {
  options = try Options(Arguments())
} catch {
  error.exit(usage: Options.usage)
}
print("soak: \(options.seconds) s, --seed \(options.seed)")
fflush(nil)
soak(options)
print(Count.table)
print(complaintCount == 0 ? "all accounted for" : "\(complaintCount) complaints")
exit(complaintCount == 0 ? 0 : 1)
