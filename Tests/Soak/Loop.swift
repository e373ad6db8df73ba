import Foundation
import RunLoopTasks

/// A run loop, and what must be known of it to judge what became of its tasks.
final class Loop: Sendable {
  let world: World
  let number: Int
  let queue: RunLoopTaskQueue
  let isMain: Bool
  /// Wakes the loop without a task, and lets one that is driven by hand leave its run.
  let doorbell: RunLoopSource<Captive>
  /// Schedules on the loop's own thread.
  let ownPoster = Guarded(Poster())
  /// How deep in nested runs of tasks the loop is.
  let depth: Counter
  /// Rings that a nested run has heard, of which the outer one knows nothing.
  private let missedRings: Counter

  /// Set before its end may begin.
  let isEnding = Flag()
  /// Set when its end is known to be over.
  let hasEnded = Flag()
  let cancelAllsBegun = Counter()
  let cancelAllsEnded = Counter()
  private let thread = ThreadID.current

  /// That of the current thread.
  init(_ world: World, _ number: Int) {
    (self.world, self.number) = (world, number)
    queue = RunLoop.current.taskQueue
    isMain = queue == .main
    let (depth, missedRings) = (Counter(), Counter())
    (self.depth, self.missedRings) = (depth, missedRings)
    let captive = Captive(.sources)
    doorbell = RunLoopSource(
      onSchedule: { _ in Live.modes.add(1) }, onCancel: { _ in Live.modes.add(-1) },
      perform: { commands in
        captive.use()
        if depth.value > 0 { missedRings.add(commands.count) }
      })
    RunLoop.current.add(doorbell, forMode: .default)
  }

  var isOwnThread: Bool { thread == .current }

  func ring() { doorbell.send(Captive(.commands)) }

  func cancelAll() {
    Figure.cancelAlls.count()
    cancelAllsBegun.add()
    queue.cancelAll()
    cancelAllsEnded.add()
  }

  /// Runs the loop in a task.
  func runNested(_ run: () -> Void) {
    Figure.nestedRuns.count()
    depth.add()
    run()
    if depth.add(-1) == 0, missedRings.value > 0 {
      missedRings.add(-missedRings.value)
      ring()
    }
  }

  /// Runs the loop of the current thread by hand, in all ways, until the condition holds and the doorbell rings.
  func drive(_ seed: UInt64, until condition: () -> Bool) {
    var random = Random(seed: seed)
    let loop = RunLoop.current
    while !condition() {
      for _ in 0..<random.number(below: 4) {
        switch random.number(below: 4) {
        case 0: loop.runPass(mode: random.pick([.default, .custom]))
        case 1: loop.runUntilTasksFinish(mode: random.pick([.default, .custom]), timeout: .milliseconds(20))
        case 2: _ = loop.run(mode: random.pick([.default, .custom]), before: .distantPast)  // polls
        default: loop.run(until: .distantPast)
        }
      }
      // Goes on until a source was served: it is by its own doing that it wakes for a task.
      if !condition() { _ = loop.run(mode: .default, before: .distantFuture) }
    }
  }
}
