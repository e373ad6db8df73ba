import Foundation
import Synchronization

extension Peer {
  /// Nanoseconds a task, from the first call on another thread until the loop has run the last task and left its run.
  ///
  /// Each time the other thread waits until the loop sleeps.
  ///
  /// - Returns: the median, without the first tenth of the times.
  func sends(of count: Int, times: Int) -> Double {
    let methods = methods
    guard let send = methods.send else { fatalError("\(self) takes no tasks from other threads") }
    methods.prepare()
    let wake = methods.wake ?? {}
    let start = Mutex(ContinuousClock.now)
    let fallsAsleep = DispatchSemaphore(value: 0)
    Thread {
      for _ in 0..<times {
        fallsAsleep.wait()
        // The observer that tells comes before the sleep, and a short one may come first, with a wake-up pending.
        spin(for: .microseconds(100))
        start.withLock { $0 = .now }
        for left in stride(from: count - 1, through: 0, by: -1) { send(left) }
        wake()
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
}
