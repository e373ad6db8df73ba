import Foundation
import RunLoopTasks

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
    order: random.number(below: 3), batchLimit: random.pick([1, 3, .max]),
    onSchedule: { _ in Count.sourceModes.add() }, onCancel: { _ in Count.sourceModes.add(-1) },
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
