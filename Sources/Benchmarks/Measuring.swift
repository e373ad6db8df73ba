import CoreFoundation
import Foundation
import RunLoopTasks
import Synchronization

/// Does a batch so many times, and says how long that took.
typealias Batches = (_ times: Int) -> Duration

extension Peer {
  /// The method of a row in which the peer takes part.
  private func require(_ job: Job) -> Method {
    guard let method = method(for: job) else { fatalError("\(heading) cannot do that") }
    return method
  }

  /// Schedules a batch before a run of the loop, which its last task stops.
  ///
  /// If no task of the batch runs, one more is scheduled that does. So cancelled tasks are paid for to the end: some peers
  /// clear them up only when their turn comes.
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

  /// Lets another thread schedule a batch before a run of the loop.
  ///
  /// How many tasks a running loop finds at once is chance. Here it always finds the whole batch. The hand-over between the
  /// threads is not timed.
  ///
  /// `Peer.wakesLoop` does not matter: a run looks for tasks when it begins.
  func posts(of size: Int, _ job: Job) -> Batches {
    prepare()
    let method = require(job)
    let duration = Mutex(Duration.zero)
    let (go, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread {
      while true {
        go.wait()
        let time = ContinuousClock().measure { method.schedule(batchOf: size) }
        duration.withLock { $0 += time }
        done.signal()
      }
    }.start()
    return { times in
      duration.withLock { $0 = .zero }
      for _ in 0..<times {
        go.signal()
        done.wait()
        let time = ContinuousClock().measure {
          Work.shared.expect(method.count(ofBatch: size)) { MainLoop.run() }
        }
        duration.withLock { $0 += time }
      }
      return duration.withLock { $0 }
    }
  }

  /// Nanoseconds a task, from the first call on another thread until the loop has run the last task and left its run.
  ///
  /// Each time the other thread waits until the loop sleeps.
  ///
  /// - Returns: the median, without the first tenth of the times.
  func sends(of count: Int, times: Int) -> Double {
    prepare()
    let method = require(.sent)
    let start = Mutex(ContinuousClock.now)
    let fallsAsleep = DispatchSemaphore(value: 0)
    Thread {
      for _ in 0..<times {
        fallsAsleep.wait()
        // The observer that tells comes before the sleep, and a short one may come first, with a wake-up pending.
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

  /// Bytes of memory for each of so many tasks before the loop runs.
  ///
  /// After a first task, which makes what is made once. In whole bytes, because one page more or less says nothing.
  func bytes(per count: Int, _ job: Job) -> Double {
    _ = batches(of: 1, .began)(1)
    let method = require(job)
    let before = bytesInUse
    for _ in 0..<count { method.schedule(1) }
    return (Double(max(0, bytesInUse - before)) / Double(count)).rounded()
  }

  /// How late, in milliseconds, a 10 ms timer is at worst while a backlog of tasks is worked off.
  func lateness(beside backlog: Int) -> Double {
    prepare()
    let method = require(.began)
    if self == .ours { RunLoopTaskQueue.main.budget = .milliseconds(4) }
    Work.shared.beBusy(for: .microseconds(500))
    let end = Work.shared.done + backlog
    // No task is the last one: the timer stops the loop, because it is late beyond the end of the backlog.
    for left in stride(from: backlog, to: 0, by: -1) { method.schedule(left) }
    let interval = 0.01
    var due = CFAbsoluteTimeGetCurrent() + interval
    var worst = 0.0
    MainLoop.every(interval, from: due) {
      let now = CFAbsoluteTimeGetCurrent()
      worst = max(worst, now - due)
      while due <= now { due += interval }  // as the timer does: what it missed is not made up for
      if Work.shared.done == end { MainLoop.stop() }
    }
    Work.shared.expect(backlog) { MainLoop.run() }
    return worst * 1000
  }
}

/// Passes of one run of a loop that is woken each time before it sleeps.
///
/// Timed from the beginning of a sleep to the beginning of a later one, so entering and leaving the run is no part of it.
///
/// - Parameters:
///   - peer: who has run a task before; `nil` if nobody was ever used.
///   - parked: how many tasks it has pending in another mode.
func passes(afterUsing peer: Peer?, parked: Int) -> Batches {
  if let peer { _ = peer.batches(of: 1, .began)(1) }
  for _ in 0..<parked { peer?.method(for: .parked)?.schedule(1) }
  var left = 0
  var (start, end) = (ContinuousClock.now, ContinuousClock.now)
  var times = 0
  MainLoop.observe(.beforeWaiting) { _ in
    MainLoop.wake()
    if left == times { start = .now }
    if left == 0 {
      end = .now
      MainLoop.stop()
    }
    left -= 1
  }
  return {
    times = $0
    left = times + 4  // the first ones may have something to clear up
    Work.shared.expect(0) { MainLoop.run() }
    return end - start
  }
}

/// What this process has allocated.
private var bytesInUse: Int {
  #if canImport(Darwin)
    var statistics = malloc_statistics_t()
    malloc_zone_statistics(nil, &statistics)
    return statistics.size_in_use
  #else
    // What is written to of its heaps, in whole pages: Glibc's module does not have `mallinfo2`, and `/proc/self/statm`
    // counts by the processor, off by some hundred pages.
    let path = "/proc/self/smaps_rollup"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Anonymous:") }),
      let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { fatalError("\(path) does not tell how much memory is in use") }
    return kibibytes * 1024
  #endif
}
