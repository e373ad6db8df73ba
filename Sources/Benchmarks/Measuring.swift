import CoreFoundation
import Foundation
import Synchronization

/// Runs a batch this many times and returns the time for all of them.
typealias Batches = (_ times: Int) -> Duration

extension Peer {
  func require(_ job: Job) -> Method {
    guard let method = method(for: job) else { fatalError("\(heading) cannot do the job \(job)") }
    return method
  }

  /// Schedules a batch and runs the loop until the last task stops it.
  ///
  /// If no task of the batch runs, one more runs after it: some peers clean up only when a task's turn comes.
  func batches(of size: Int, _ job: Job) -> Batches {
    prepare()
    let method = require(job)
    let last = method.runs == .none ? require(.ended) : nil
    return { times in
      ContinuousClock().measure {
        for _ in 0..<times {
          Work.shared.expect(last == nil ? method.count(ofBatch: size) : 1) {
            method.schedule(batchOf: size)
            last?.schedule(0)
            MainLoop.run()
          }
        }
      }
    }
  }

  /// Schedules a batch on another thread and then runs the loop.
  ///
  /// A running loop would find a random part of the batch. The time does not include the hand-over between the threads.
  func posts(of size: Int, _ job: Job) -> Batches {
    prepare()
    let method = require(job)
    return { times in
      let duration = Mutex(Duration.zero)
      let isScheduled = DispatchSemaphore(value: 0)
      for _ in 0..<times {
        DispatchQueue.global().async {
          let time = ContinuousClock().measure { method.schedule(batchOf: size) }
          duration.withLock { $0 += time }
          isScheduled.signal()
        }
        isScheduled.wait()
        let time = ContinuousClock().measure {
          Work.shared.expect(method.count(ofBatch: size)) { MainLoop.run() }
        }
        duration.withLock { $0 += time }
      }
      return duration.withLock { $0 }
    }
  }

  /// The nanoseconds for each task, from the first call on another thread, while the loop sleeps, to the end of the
  /// run: the median of all batches but the first tenth.
  func sends(of count: Int, times: Int) -> Double {
    prepare()
    let method = require(.sent)
    let start = Mutex(ContinuousClock.now)
    let fallsAsleep = DispatchSemaphore(value: 0)
    Thread {
      for _ in 0..<times {
        fallsAsleep.wait()
        // The observer signals before the loop sleeps, and a pending wake-up may end the first sleep at once.
        spin(for: .microseconds(100))
        start.withLock { $0 = .now }
        method.schedule(batchOf: count)
        if !wakesLoop { MainLoop.wake() }
      }
    }.start()

    var isAnnounced = false
    MainLoop.observe(.beforeWaiting) { _ in
      if !isAnnounced { fallsAsleep.signal() }
      isAnnounced = true
    }
    let samples = (0..<times).map { _ in
      isAnnounced = false
      Work.shared.expect(count) { MainLoop.run() }
      return (ContinuousClock.now - start.withLock { $0 }).nanoseconds / Double(count)
    }
    return samples.dropFirst(max(1, times / 10)).median
  }

  /// The bytes of memory for each of `count` pending tasks, after a first one for the one-time allocations.
  func bytes(per count: Int, _ job: Job) -> Double {
    _ = batches(of: 1, .began)(1)
    let method = require(job)
    let before = bytesInUse
    for _ in 0..<count { method.schedule(1) }
    return (Double(max(0, bytesInUse - before)) / Double(count)).rounded()
  }
}

/// Runs passes of one run of the loop, with a wake-up before each sleep.
///
/// - Parameter first: schedules a task in the run, before the passes.
func passes(after first: (@MainActor () -> Void)? = nil) -> Batches {
  { times in
    if let first { DispatchQueue.main.async { first() } }
    var left = times + 8  // the first passes may still clean up
    var (start, end) = (ContinuousClock.now, ContinuousClock.now)
    let observer = MainLoop.observe(.beforeWaiting) { _ in
      MainLoop.wake()
      if left == times { start = .now }
      if left == 0 {
        end = .now
        MainLoop.stop()
      }
      left -= 1
    }
    Work.shared.expect(first == nil ? 0 : 1) { MainLoop.run() }
    CFRunLoopObserverInvalidate(observer)
    return end - start
  }
}

/// The memory that this process has allocated.
private var bytesInUse: Int {
  #if canImport(Darwin)
    var statistics = malloc_statistics_t()
    malloc_zone_statistics(nil, &statistics)
    return statistics.size_in_use
  #else
    // The pages that the process has written to. The Glibc module lacks `mallinfo2`, and `/proc/self/statm` is off by
    // some hundred pages, because it counts separately for each processor.
    let path = "/proc/self/smaps_rollup"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Anonymous:") }),
      let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { fatalError("\(path) does not contain the size of the memory in use") }
    return kibibytes * 1024
  #endif
}
