import Foundation
import RunLoopTasks

extension Workload {
  /// Starts a loop with a source, to which several threads send, and ends both in different ways.
  mutating func useSource() {
    let loop = HostedLoop.start(pool, isQuiet: true, &random)
    let log = SourceLog()
    let source = log.makeSource(order: random.number(below: 3))
    let isInCustomMode = random.once(in: 3)
    loop.queue.perform {
      RunLoop.current.add(source, forMode: .default)
      RunLoop.current.add(source, forMode: .default)  // changes nothing
      if isInCustomMode { RunLoop.current.add(source, forMode: .custom) }
    }
    if random.once(in: 2) {
      let mode = random.pick([RunLoop.Mode.default, .common])
      random.pick(pool.busy).queue.perform { RunLoop.current.add(source, forMode: mode) }
    }
    let senders = DispatchGroup()
    for sender in 0...random.number(below: 2) {
      log.startSender(sender, to: source, commands: 1 + random.number(below: 40), in: senders)
    }
    // Nested runs, in which commands may come in that the run around them was woken for.
    for _ in 0..<random.number(below: 20) {
      client.schedule(Request(timing: random.timing(), action: .runPass, seed: random.next()), on: loop)
    }
    switch random.number(below: 4) {
    case 0: break
    case 1: loop.end(&random)
    case 2: loop.queue.perform { RunLoop.current.remove(source, forMode: .default) }
    default:
      Monitor.watch("the senders to a source") { senders.wait() }
      log.checkThatAllWasDelivered()
    }
    log.isInvalid.set()
    source.invalidate()
    if source.isValid || source.send(Command(sender: 0, number: 0, counted: CountedObject(.commands))) {
      Monitor.complain("an invalidated source takes commands")
    }
    Monitor.watch("the senders to an invalidated source") { senders.wait() }
    if !loop.isEnding.isSet { loop.end(&random) }
  }
}

/// A command of a sender, which numbers them in the order of sending.
private struct Command: Sendable {
  let sender: Int
  let number: Int
  let counted: CountedObject
}

/// What was sent to a source, and what it delivered.
private final class SourceLog: Sendable {
  private static let windowSize = 4

  let isInvalid = Flag()
  private let sent = Counter()
  private let delivered = Counter()
  private let latest = Locked<[Int: Int]>([:])
  private let performers = Counter()
  private let modes = Counter()

  func makeSource(order: Int) -> RunLoopSource<Command> {
    let counted = CountedObject(.sources)
    return RunLoopSource(
      order: order, onSchedule: { [self] _ in countModes(1) }, onCancel: { [self] _ in countModes(-1) },
      perform: { [self] commands in
        counted.use()
        deliver(commands)
      })
  }

  /// Starts a thread that sends until it has sent enough, or the source is invalid.
  func startSender(_ sender: Int, to source: RunLoopSource<Command>, commands: Int, in group: DispatchGroup) {
    group.enter()
    Thread { [self] in
      let window = Window(Self.windowSize)
      for number in 1...commands {
        window.enter("a sender waits for its commands")
        sent.add()
        guard source.send(Command(sender: sender, number: number, counted: CountedObject(.commands, in: window))) else {
          if !isInvalid.isSet { Monitor.complain("a valid source takes no commands") }
          break
        }
      }
      for _ in 1...Self.windowSize { window.enter("a sender waits for its last commands") }
      group.leave()
    }.start()
  }

  func checkThatAllWasDelivered() {
    if delivered.value != sent.value { Monitor.complain("a source delivered \(delivered.value) of \(sent.value)") }
  }

  private func countModes(_ change: Int) {
    Count.sourceModes.add(change)
    if modes.add(change) < 0 { Monitor.complain("a source left a mode that it was not in") }
  }

  private func deliver(_ commands: [Command]) {
    if performers.add() != 1 { Monitor.complain("a source performs on two threads at a time") }
    if commands.isEmpty { Monitor.complain("a source delivered nothing") }
    for command in commands {
      Count.delivered.add()
      delivered.add()
      let last = latest.withLock { $0.updateValue(command.number, forKey: command.sender) ?? 0 }
      if command.number != last + 1 { Monitor.complain("a source delivered command \(command.number) after \(last)") }
    }
    performers.add(-1)
  }
}
