import Foundation
import RunLoopTasks

// What threads do again and again.

/// Schedules on the loops of other threads, some of which may have ended.
func schedule(_ random: inout Random) {
  waitUntil("tasks to run") { Count.closures.value < 500 }
  let former = random.once(in: 20) ? SoakTask.latest(&random)?.loop : nil
  let loop = if let former, !former.isQuiet { former } else { SoakLoop.busy(&random) }
  let task = scheduleRandomTask(on: loop, &random)
  if random.once(in: 20) { task.cancel() }  // perhaps just when it begins
}

/// Schedules on a quiet loop. The loop may sleep, be about to sleep, or run the task before.
func scheduleAlone(_ place: Int, _ random: inout Random) {
  let loop = SoakLoop.all.withLock { $0[place] }
  random.sleep(microsecondsBelow: random.pick([1, 300, 10_000]))
  let task = scheduleRandomTask(on: loop, &random)
  if random.once(in: 20) { task.cancel() }
  task.waitForEnd()
}

/// Cancels and changes the tasks of other threads, and changes budgets.
func interfere(_ random: inout Random) {
  if random.once(in: 4) { random.sleep(microsecondsBelow: 500) }
  guard let task = SoakTask.latest(&random), !task.loop.isQuiet, task.plan.action != .runCustomMode else { return }
  let loop = task.loop
  switch random.number(below: 100) {
  case 0: loop.cancelAll()
  case 1: _ = loop.queue.debugDescription  // may wait a tenth of a second for the loop
  case 2...4: loop.queue.budget = random.pick([nil, .microseconds(20), .milliseconds(1)])
  case 5...29: task.change { $0.when(random.pick(RunLoopTask.Timing.allCases)) }
  case 30...39: task.change { $0.forModes(random.pick([[.default, .custom], [.common, .custom], [.default]])) }
  case 40...44:
    task.change { $0.forModes(.custom) }
    runCustomMode(on: loop, &random)
  case 45...54: task.setKey(Key(&random))
  case 55...59: loop.queue.cancelTask(coalescedBy: Key(&random))
  case 60...64: task.change { $0.after(.microseconds(100)).within(.milliseconds(1)).order(-1) }
  default: task.cancel()
  }
}

/// Ends a loop and starts another one in its place.
func replaceLoop(_ random: inout Random) {
  random.sleep(microsecondsBelow: 20_000)
  let place = 1 + random.number(below: SoakLoop.all.withLock { $0.count } - 1)
  let new = SoakLoop.start(isQuiet: SoakLoop.all.withLock { $0[place].isQuiet }, &random)
  let former = SoakLoop.all.withLock { loops in
    defer { loops[place] = new }
    return loops[place]
  }
  former.end(waits: random.once(in: 2))
}
