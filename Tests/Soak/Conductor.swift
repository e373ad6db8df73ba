import Foundation

/// Starts the clients, and brings all to its end in good order. Has a thread of its own, as the main one runs its loop.
struct Conductor {
  private static let producers = 8
  private static let others = 2

  let world: World
  var random: Random

  mutating func conduct() {
    for number in 0..<world.options.loops {
      world.add(Slot(.start(world, &random), isQuiet: number % 4 == 0))
    }
    let ends = startClients()
    let over = DispatchTime.now() + .seconds(world.options.seconds)
    while DispatchTime.now() < over, Watch.complaints == 0 { Thread.sleep(forTimeInterval: 0.05) }
    world.isOver.set()
    for end in ends { end.wait(for: "the end of a client") }
    settle("the end of all tasks, with nobody scheduling any more")
    for slot in world.slots { slot.endAndWait() }
    settle("the end of what was scheduled while the loops ended")
  }

  /// Waits until all has come to its end, and each loop knows that it has.
  private func settle(_ what: String) {
    Watch.during(what) {
      while world.ledger.audit() > 0 || !Live.left([.closures, .keys, .observers]).isEmpty
        || world.slots.contains(where: { $0.loop.queue.count != 0 })
      {
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }

  private mutating func startClients() -> [DispatchSemaphore] {
    var ends: [DispatchSemaphore] = []
    for slot in world.slots where slot.isQuiet { ends.append(run(Producer(world, [slot], window: 1, &random))) }
    for _ in 0..<Self.producers {
      ends.append(run(Producer(world, world.busySlots, window: 64, &random)))
    }
    for _ in 0..<Self.others {
      ends.append(run(Meddler(world, &random)))
      ends.append(run(SourceClient(world, &random)))
      ends.append(run(Churner(world, &random)))
      ends.append(run(Awaiter(world, &random)))
      ends.append(run(Awaiter(world, &random)))
      ends.append(run(ActorClient(world, &random)))
    }
    return ends
  }

  /// Gives a client a thread.
  private func run(_ client: some Client) -> DispatchSemaphore {
    let (isDone, world) = (DispatchSemaphore(value: 0), world)
    Thread {
      var client = client
      while !world.isOver.isSet { client.step() }
      isDone.signal()
    }.start()
    return isDone
  }

  private func run(_ client: some AsyncClient) -> DispatchSemaphore {
    let (isDone, world) = (DispatchSemaphore(value: 0), world)
    Task.detached {
      var client = client
      while !world.isOver.isSet { await client.step() }
      isDone.signal()
    }
    return isDone
  }
}
