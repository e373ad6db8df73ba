import Foundation
import Synchronization

/// A line on standard error that a process writes a few times at most.
package struct Notice: ~Copyable, Sendable {
  private let timesLeft: Atomic<Int>

  package init(times: Int = 1) { timesLeft = Atomic(times) }

  package func write(_ text: @autoclosure () -> String) {
    if timesLeft.subtract(1, ordering: .relaxed).newValue >= 0 { writeToStandardError("RunLoopTasks: \(text())\n") }
  }
}

package func writeToStandardError(_ text: String) { _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) } }
