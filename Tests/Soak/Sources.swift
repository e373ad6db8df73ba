import Foundation
import RunLoopTasks

/// Makes sources, lets threads send to them, and invalidates them.
struct SourceClient: Client {
  private let world: World
  private var poster = Poster()
  private var random: Random

  init(_ world: World, _ random: inout Random) {
    self.world = world
    self.random = Random(seed: random.next())
  }

  mutating func step() {
    // A loop of its own, where nobody cancels that the source is added.
    let tenant = Tenant.start(world, &random)
    let home = tenant.loop
    let inbox = Inbox()
    let source = inbox.makeSource(order: random.number(below: 3))
    let isInCustomMode = random.once(in: 3)
    home.queue.perform {
      RunLoop.current.add(source, forMode: .default)
      RunLoop.current.add(source, forMode: .default)  // changes nothing
      if isInCustomMode { RunLoop.current.add(source, forMode: .custom) }
    }
    if random.once(in: 2) {
      let mode = random.pick([RunLoop.Mode.default, .common])
      random.pick(world.busySlots).loop.queue.perform { RunLoop.current.add(source, forMode: mode) }
    }
    let senders = (0...random.number(below: 2)).map { _ in Sender(inbox, source, &random) }
    // Nested runs may take the wake-up of a command from the run that they are nested in.
    for _ in 0..<random.number(below: 20) {
      let timing = random.pick(RunLoopTask.Timing.allCases)
      _ = poster.post(Wish(timing: timing, errand: .runPass, seed: random.next()), to: home)
    }
    switch random.number(below: 4) {
    case 0: break
    case 1: tenant.end(&random)
    case 2: home.queue.perform { RunLoop.current.remove(source, forMode: .default) }
    default:
      for sender in senders { sender.join() }
      inbox.checkThatAllHasCome()
    }
    inbox.isInvalid.set()
    source.invalidate()
    if source.isValid || source.send(Command(0, 0, nil)) { Watch.complain("an invalidated source takes commands") }
    for sender in senders { sender.join() }
    if !home.isEnding.isSet { tenant.end(&random) }
  }
}

/// A command of a sender, in the order of sending.
final class Command: Sendable {
  let sender: Int
  let number: Int
  private let window: Window?

  init(_ sender: Int, _ number: Int, _ window: Window?) {
    Live.commands.add(1)
    (self.sender, self.number, self.window) = (sender, number, window)
  }

  deinit {
    Live.commands.add(-1)
    window?.close()
  }
}

/// Where the commands of a source come in.
final class Inbox: Sendable {
  let isInvalid = Flag()
  let sent = Counter()
  private let latest = Guarded<[Int: Int]>([:])
  private let performers = Counter()
  private let modes = Counter()
  private let delivered = Counter()

  func makeSource(order: Int) -> RunLoopSource<Command> {
    Figure.sources.count()
    let captive = Captive(.sources)
    return RunLoopSource(
      order: order, onSchedule: { [self] _ in enter(1) }, onCancel: { [self] _ in enter(-1) },
      perform: { [self] commands in
        captive.use()
        perform(commands)
      })
  }

  func checkThatAllHasCome() {
    if delivered.value != sent.value { Watch.complain("a source delivered \(delivered.value) of \(sent.value)") }
  }

  private func enter(_ change: Int) {
    Live.modes.add(change)
    if modes.add(change) < 0 { Watch.complain("a source left a mode that it was not in") }
  }

  private func perform(_ commands: [Command]) {
    if performers.add() != 1 { Watch.complain("a source performs on two threads at a time") }
    if commands.isEmpty { Watch.complain("a source delivered nothing") }
    for command in commands {
      Figure.delivered.count()
      delivered.add()
      let last = latest.withLock { $0.updateValue(command.number, forKey: command.sender) ?? 0 }
      if command.number != last + 1 { Watch.complain("a source delivered command \(command.number) after \(last)") }
    }
    performers.add(-1)
  }
}

/// A thread that sends to a source, until it has sent enough or the source is invalid.
final class Sender: Sendable {
  private static let numbers = Counter()
  private static let windowSize = 4

  private let isDone = DispatchSemaphore(value: 0)

  init(_ inbox: Inbox, _ source: RunLoopSource<Command>, _ random: inout Random) {
    let (number, amount, isDone) = (Self.numbers.add(), 1 + random.number(below: 40), isDone)
    Thread {
      let window = Window(Self.windowSize)
      for command in 1...amount {
        window.open("a sender waits for its commands")
        Figure.commands.count()
        inbox.sent.add()
        guard source.send(Command(number, command, window)) else {
          if !inbox.isInvalid.isSet { Watch.complain("a valid source takes no commands") }
          break
        }
      }
      for _ in 1...Self.windowSize { window.open("a sender waits for its last commands") }
      isDone.signal()
    }.start()
  }

  func join() {
    isDone.wait(for: "the end of a sender")
    isDone.signal()  // for the next one who waits
  }
}
