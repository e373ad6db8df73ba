import CoreFoundation
import RunLoopTasks

extension Peer {
  /// How late, in milliseconds, a 10 ms timer is at worst while a backlog of tasks is worked off.
  func lateness(_ scale: Scale) -> Double {
    let methods = methods
    methods.prepare()
    if self == .ours { RunLoopTaskQueue.main.budget = .milliseconds(4) }
    Work.shared.beBusy(for: .microseconds(500))
    let end = Work.shared.done + scale.backlog
    // No task is the last one: the timer stops the loop, because it is late beyond the end of the backlog.
    for left in stride(from: scale.backlog, to: 0, by: -1) { methods.schedule(left) }
    let interval = 0.01
    var due = CFAbsoluteTimeGetCurrent() + interval
    var worst = 0.0
    MainLoop.every(interval, from: due) {
      let now = CFAbsoluteTimeGetCurrent()
      worst = max(worst, now - due)
      while due <= now { due += interval }  // as the timer does: what it missed is not made up for
      if Work.shared.done == end { MainLoop.stop() }
    }
    Work.shared.expect(scale.backlog) { MainLoop.run() }
    return worst * 1000
  }
}
