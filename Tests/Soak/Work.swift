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

/// Cancels the tasks of other threads, lets their threads change them, and changes budgets.
func interfere(_ random: inout Random) {
  if random.once(in: 4) { random.sleep(microsecondsBelow: 500) }
  guard let task = SoakTask.latest(&random), !task.loop.isQuiet, task.plan.action != .runCustomMode else { return }
  let loop = task.loop
  switch random.number(below: 100) {
  case 0: loop.cancelAll()
  case 1: _ = loop.queue.debugDescription  // may wait a tenth of a second for the loop
  case 2...4: loop.queue.budget = random.pick([nil, .microseconds(20), .milliseconds(1)])
  case 5...29:
    let timing = random.pick(RunLoopTask.Timing.allCases)
    loop.queue.perform { task.change { $0.when(timing) } }
  case 30...39:
    let modes = random.pick([[RunLoop.Mode.default, .custom], [.common, .custom], [.default]])
    loop.queue.perform { task.change { $0.forModes(modes) } }
  case 40...44:
    let own = random.split()
    loop.queue.perform {
      task.change { $0.forModes(.custom) }
      var random = own
      runCustomMode(on: loop, &random)  // here, because from there it might run before the change
    }
  case 45...54:
    let key = Key(&random)
    loop.queue.perform { task.setKey(key) }
  case 55...59: loop.queue.cancelTask(coalescedBy: Key(&random))
  case 60...64: loop.queue.perform { task.change { $0.after(.microseconds(100)).within(.milliseconds(1)).order(-1) } }
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

// MARK: - A source

/// A command. Its sender numbers its commands in the order of sending.
private struct Command: Sendable {
  let sender: Int
  let number: Int
  let held = Held(.commands)
}

/// Starts a loop with a source. Several threads send to the source, and then the source and the loop end.
func useSource(_ random: inout Random) {
  let loop = SoakLoop.start(isQuiet: true, &random)
  let (sent, delivered, held, latest) = (Counter(), Counter(), Held(.sources), Locked<[Int: Int]>([:]))
  let source = RunLoopSource<Command>(
    order: random.number(below: 3), onSchedule: { _ in Count.sourceModes.add() },
    onCancel: { _ in Count.sourceModes.add(-1) },
    perform: { commands in
      held.use()
      for command in commands {
        let last = latest.withLock { $0.updateValue(command.number, forKey: command.sender) ?? 0 }
        if command.number != last + 1 { complain("a source delivered command \(command.number) after \(last)") }
      }
      Count.delivered.add(commands.count)
      delivered.add(commands.count)
    })
  let modes = random.pick([[RunLoop.Mode.default], [.common], [.default, .custom, .default]])
  loop.queue.perform { for mode in modes { RunLoop.current.add(source, forMode: mode) } }

  let (mayRefuse, sendersAtWork) = (Flag(), Counter())
  for sender in 0...random.number(below: 2) {
    let commands = random.number(below: 100)
    sendersAtWork.add()
    Thread {
      for number in stride(from: 1, through: commands, by: 1) {
        let isTaken = source.send(Command(sender: sender, number: number))
        if isTaken { sent.add() } else if !mayRefuse.isSet { complain("a valid source takes no commands") }
        if number % 8 == 0 { waitUntil("commands") { delivered.value > sent.value - 16 || mayRefuse.isSet } }
      }
      sendersAtWork.add(-1)
    }.start()
  }
  // Nested runs may receive commands that woke the outer run.
  for _ in 0..<random.number(below: 20) { SoakTask(Plan(action: .runNested, seed: random.next()), on: loop) }
  let mayLoseCommands = random.once(in: 2)
  if mayLoseCommands {
    mayRefuse.set()
    random.sleep(microsecondsBelow: 500)
    if random.once(in: 2) {
      loop.end(waits: random.once(in: 2))
    } else {
      loop.queue.perform { RunLoop.current.remove(source, forMode: modes[0]) }
    }
  } else {
    waitUntil("all commands") { sendersAtWork.value == 0 && delivered.value == sent.value }
  }
  mayRefuse.set()
  source.invalidate()
  if source.isValid || source.send(Command(sender: 0, number: 0)) { complain("an invalidated source takes commands") }
  waitUntil("the senders to a source") { sendersAtWork.value == 0 }
  loop.end()
}
