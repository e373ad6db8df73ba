import Foundation

/// The longest time a test may take before it counts as hung. No test waits for this time to pass.
let watchdog = DispatchTimeInterval.seconds(300)

extension DispatchSemaphore {
  /// Waits for a signal; ends the test process if the signal does not come in time.
  func waitOrDie(
    _ what: String, patience: DispatchTimeInterval = watchdog, file: StaticString = #file, line: UInt = #line
  ) {
    guard wait(timeout: .now() + patience) == .success else {
      fatalError("watchdog: timed out waiting for \(what)", file: file, line: line)
    }
  }
}

/// Waits until the condition holds; ends the test process if it does not hold in time.
///
/// For changes that another thread makes without a signal.
func waitUntil(file: StaticString = #file, line: UInt = #line, _ condition: () -> Bool) {
  let start = DispatchTime.now()
  while !condition() {
    if DispatchTime.now() > start + watchdog {
      fatalError("watchdog: timed out waiting for a condition", file: file, line: line)
    }
    Thread.sleep(forTimeInterval: 0.0001)
  }
}

/// Waits until the condition holds, without blocking a thread; ends the test process if it does not hold in time.
///
/// All tests share the few threads of async code, and a task that yields may run only after most other tasks. So the
/// watchdog counts yields as well as time, and after some yields it pauses in between: tests that wait for their turn
/// would take half of the processor time. A thread that waits for the calling test must not have a watchdog of its own.
func eventually(file: StaticString = #file, line: UInt = #line, _ condition: () -> Bool) async {
  let start = DispatchTime.now()
  var yields = 0
  while !condition() {
    yields += 1
    let isLate = yields > 1_000 && DispatchTime.now() > start + watchdog
    if isLate { fatalError("watchdog: timed out waiting for a condition", file: file, line: line) }
    await Task.yield()
    if yields > 100 { try? await Task.sleep(for: .milliseconds(1)) }
  }
}

/// Ends this process if it takes too long, whatever its threads are doing.
///
/// Before the watchdog of the other tests: Swift Testing waits for the process on the threads of async code, for which
/// they wait.
func endInTime() { alarm(120) }
