import Arguments
import Foundation
import RunLoopTasks
import RunLoopTracing

extension Idle {
  /// Plays the act once, and writes what the loops of the main-queue blocks and of the idle tasks did.
  static func writeTrace(to path: String) {
    let (idle, traces) = (Idle(), Locked<[RunLoopTrace]>([]))
    for lane in idle.lanes where lane.way != .byHand {
      lane.perform {
        let trace = RunLoop.current.trace(name: lane.way.title)
        traces.withLock { $0.append(trace) }
      }
    }
    idle.runOnce()
    do {
      try RunLoopTrace.write(traces.withLock { $0 }, to: URL(fileURLWithPath: path))
    } catch {
      printError("cannot write \(path): \(error); name another file")
      exit(73)  // EX_CANTCREAT
    }
    output(idle.score + ["", "Open \(path) in https://ui.perfetto.dev"])
  }
}
