import Foundation
import RunLoopTasks

extension Workload {
  // MARK: Swift concurrency

  private struct Refusal: Error {}

  /// Awaits a task. Cancels the wait now and then.
  mutating func awaitTask() async {
    let loop = random.pick(pool.busy)
    var request = Request.random(for: client, on: loop, &random)
    request.key = nil
    // No loop runs in this mode, so only the cancellation ends the wait.
    let isForEver = random.once(in: 8)
    if isForEver { request.modes = [.neverRun] } else if request.modes == [.custom] { request.modes = [.default] }
    let task = TrackedTask(request, on: loop, line: Line(), number: 1)
    let (value, isRefused) = (random.number(below: 1_000), random.once(in: 8))
    let isCancelled = isForEver || random.once(in: 4)
    let work = request.run(task) {
      if isRefused { throw Refusal() }
      return value
    }
    if isCancelled {
      for _ in 0..<random.number(below: 4) { await Task.yield() }
      work.cancel()
    }
    let result = await Monitor.watch("an await of \(task)") { await work.result }
    Count.awaited.add()
    switch result {
    case .success(value) where !isRefused && task.hasRun: break
    case .failure(is Refusal) where isRefused && task.hasRun: break
    case .failure(is CancellationError): task.judgeCancelled(isAskedFor: isCancelled)
    default: Monitor.complain("\(task): returned \(result) instead of \(isRefused ? "an error" : "\(value)")")
    }
  }

  /// Starts a thread for an actor. Several tasks call the actor, which awaits other loops.
  mutating func callActor() async {
    let (callers, calls) = (4, 8)
    let threadActor = ThreadActor()
    let loops = (0..<callers).map { _ in random.pick(pool.busy) }
    await Monitor.watch("the calls of an actor on a thread") {
      await withTaskGroup(of: Void.self) { group in
        for (caller, loop) in loops.enumerated() {
          group.addTask {
            for call in 0..<calls { await threadActor.call(through: call % callers == caller ? loop : nil) }
          }
        }
      }
      if await threadActor.calls != callers * calls {
        Monitor.complain("some calls of an actor are missing")
      }
    }
    if random.once(in: 2) { threadActor.thread.stop() }  // otherwise it stops with the last reference to it
  }

  // MARK: Sources

  /// Starts a loop with a source. Several threads send to the source, and then the source and the loop end.
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
    // Nested runs may receive commands that woke the outer run.
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

/// An actor on a thread of its own.
private actor ThreadActor {
  let thread = RunLoopThread(name: "soak actor")
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
  private(set) var calls = 0

  /// - Parameter loop: a loop that the call awaits before it counts.
  func call(through loop: HostedLoop?) async {
    if let loop { _ = try? await loop.queue.run { loop.isOwnThread } }
    Count.actorCalls.add()
    thread.checkIsolated()
    calls += 1
  }
}

/// A command. Its sender numbers its commands in the order of sending.
private struct Command: Sendable {
  let sender: Int
  let number: Int
  let counted: CountedObject
}

/// The commands that threads have sent to a source and that the source has delivered.
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

  /// Starts a thread that sends commands, until it has sent them all or the source is invalid.
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
