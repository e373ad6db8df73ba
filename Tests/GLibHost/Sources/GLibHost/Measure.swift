import CGLib
import Foundation
import MainLoopSource
import RunLoopTasks
import Synchronization

/// Counts the returns of `poll` in GLib's loop.
private let wakeUps = Atomic(0)

func measure() {
  g_main_context_set_poll_func(nil) { descriptors, count, timeout in
    let result = poll(
      UnsafeMutableRawPointer(descriptors)?.assumingMemoryBound(to: pollfd.self), nfds_t(count), timeout)
    wakeUps.add(1, ordering: .relaxed)
    return result
  }

  // Before the main loop is embedded.
  var isPolling = true
  every(milliseconds: 8) {
    RunLoop.main.runPass()
    return isPolling
  }
  row("a post, to a host that polls every 8 ms") { ran in RunLoopTaskQueue.main.perform { ran() } }
  rowOfIdleSecond("wake-ups in an idle second, of a host that polls every 8 ms")
  isPolling = false
  iterate(seconds: 0.1)

  MainLoopSource.add(to: nil)
  row("a post, to a sleeping host") { ran in RunLoopTaskQueue.main.perform { ran() } }
  row("a main-queue block, to a sleeping host") { ran in DispatchQueue.main.async { ran() } }
  row("g_idle_add, to a sleeping host") { ran in onIdle { ran() } }
  RunLoop.main.perform {}.after(.seconds(3_600))
  rowOfIdleSecond("wake-ups in an idle second, beside a delay of an hour")
}

/// Sends something from another thread to the sleeping host, and prints the time until it runs.
private func row(_ name: String, send: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
  let times = Mutex<[Double]>([])
  let count = 500
  let next = DispatchSemaphore(value: 0)
  elsewhere {
    for number in 1...count {
      usleep(3_000 + UInt32(number * 7_919 % 5_000))
      let start = ContinuousClock.now
      send {
        times.withLock { $0.append((ContinuousClock.now - start) / .microseconds(1)) }
        next.signal()
      }
      next.wait()
    }
  }
  iterate { times.withLock { $0.count } == count }
  let sorted = times.withLock { $0.sorted() }
  say("\(name): \(Int(sorted[count / 2])) µs in the median, \(Int(sorted[count * 9 / 10])) in nine of ten")
}

private func rowOfIdleSecond(_ name: String) {
  iterate(seconds: 0.2)
  let before = wakeUps.load(ordering: .relaxed)
  iterate(seconds: 1)
  say("\(name): \(wakeUps.load(ordering: .relaxed) - before - 1)")  // the last ends the second
}
