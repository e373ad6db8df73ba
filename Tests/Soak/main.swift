import Arguments
import Foundation

// Schedules tasks on many loops at once, from threads that start and end. Follows every task to its end and then checks
// that no objects, threads or file descriptors are left. Prints complaints, and exits with 1 if there are any.

private struct Options {
  static let usage = """
    usage: Soak [--seconds N] [--seed N] [--help]

      --seconds N   run for N seconds; the default is 60
      --seed N      start the random choices at N; the interleaving of the
                    threads still varies
    """

  private(set) var seconds = 60
  private(set) var seed = Int.random(in: 1...999_999)
  private(set) var wantsHelp = false

  init(_ arguments: Arguments) throws(UsageError) {
    var arguments = arguments
    while let argument = arguments.next() {
      switch argument {
      case "--seconds": seconds = try arguments.number(of: argument)
      case "--seed": seed = try arguments.number(of: argument)
      case "--help", "-h": wantsHelp = true
      default: throw UsageError("unknown argument '\(argument)'")
      }
    }
  }
}

/// The number of threads and file descriptors of the process, on systems with `/proc/self`.
private struct Resources: CustomStringConvertible {
  private static let patience = Duration.seconds(60)

  private let threads = count("task")
  private let descriptors = count("fd")

  private static func count(_ folder: String) -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)")) ?? []).count
  }

  var description: String { "\(threads) threads, \(descriptors) descriptors" }

  /// Waits until the process has no more objects, threads and descriptors than before. Threads free their loops after
  /// the last event that the program can wait for, and Dispatch's threads end some seconds after their last work.
  ///
  /// - Returns: a description of the rest.
  static func checkThatNothingIsLeft(but before: Resources) -> String {
    let start = ContinuousClock.now
    while true {
      let (now, alive) = (Resources(), Count.left(Count.alive))
      let hasMore = now.threads > before.threads || now.descriptors > before.descriptors
      if alive.isEmpty && !hasMore || start.duration(to: .now) > patience {
        for kind in alive { Monitor.complain(kind) }
        if hasMore { Monitor.complain("\(now), and \(before) before") }
        return "left: \(now)"
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }
}

/// Starts the loops and the workload, and ends both. Call it on another thread than the main one, which runs its loop.
private func runWorkload(_ pool: LoopPool, _ seconds: Int, _ random: Random) {
  var random = random
  let quietPlaces = stride(from: 1, through: 32, by: 4)
  for place in 1...32 { pool.add(.start(pool, isQuiet: quietPlaces.contains(place), &random)) }

  let (isOver, workers) = (Flag(), DispatchGroup())
  func startThread(_ workload: Workload, _ step: @escaping @Sendable (inout Workload) -> Void) {
    workers.enter()
    Thread {
      var workload = workload
      while !isOver.isSet { step(&workload) }
      workers.leave()
    }.start()
  }
  for place in quietPlaces { startThread(Workload(pool, &random, window: 1)) { $0.scheduleAlone(place) } }
  for (count, step) in Workload.threads {
    for _ in 0..<count { startThread(Workload(pool, &random), step) }
  }
  for (count, step) in Workload.asyncTasks {
    for _ in 0..<count {
      workers.enter()
      var workload = Workload(pool, &random)
      Task.detached {
        while !isOver.isSet { await step(&workload) }
        workers.leave()
      }
    }
  }

  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end, Monitor.complaintCount == 0 { Thread.sleep(forTimeInterval: 0.05) }
  isOver.set()
  Monitor.watch("the end of the workload") { workers.wait() }
  Monitor.waitForTasks(of: pool, "the end of all tasks, after the last scheduling")
  for loop in pool.loops { loop.endAndWait() }
  Monitor.waitForTasks(of: pool, "the end of the tasks that were scheduled while the loops ended")
}

/// Runs the soak. None of its objects may outlive the call.
///
/// - Returns: the resources before the workload.
@MainActor private func soak(_ options: Options) -> Resources {
  let pool = LoopPool()
  var random = Random(state: UInt64(options.seed))
  let mainLoop = HostedLoop(pool, isQuiet: false)
  pool.add(mainLoop)
  Monitor.start(pool)

  // Some resources stay after their first use: the main loop's modes, Dispatch's thread and its descriptor per clock.
  for mode: RunLoop.Mode in [.custom, .neverRun] { RunLoop.main.runPass(mode: mode) }
  Monitor.watch("the first waking of the main loop") {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { mainLoop.wake() }
    _ = RunLoop.main.run(mode: .default, before: .distantFuture)
    DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(1)) { mainLoop.wake() }
    _ = RunLoop.main.run(mode: .default, before: .distantFuture)
  }
  let before = Resources()

  let (workRandom, isDone, hasLeftLoop) = (random.split(), Flag(), DispatchSemaphore(value: 0))
  Thread {
    runWorkload(pool, options.seconds, workRandom)
    isDone.set()
    mainLoop.wake()
    hasLeftLoop.wait(for: "the last waking of the main loop")
  }.start()
  mainLoop.drive(random) { isDone.isSet }
  hasLeftLoop.signal()
  mainLoop.invalidate()
  Monitor.stop()
  pool.removeAll()
  return before
}

private let options: Options
do {
  options = try Options(Arguments())
} catch {
  error.exit(usage: Options.usage)
}
if options.wantsHelp {
  print(Options.usage)
  exit(0)
}
print("soak: \(options.seconds) s, --seed \(options.seed)")
fflush(nil)
private let left = Resources.checkThatNothingIsLeft(but: soak(options))
print("\n\(Count.table)\n\n\(left)")
print(Monitor.complaintCount == 0 ? "all accounted for" : "\(Monitor.complaintCount) complaints")
exit(Monitor.complaintCount == 0 ? 0 : 1)
