import Foundation
import RunLoopTasks

/// Cancels, amends and looks at tasks that others have scheduled, and changes budgets.
struct Meddler: Client {
  private let world: World
  private var poster = Poster()
  private var random: Random

  init(_ world: World, _ random: inout Random) {
    self.world = world
    self.random = Random(seed: random.next())
  }

  mutating func step() {
    if random.once(in: 4) { Thread.sleep(forTimeInterval: Double(random.number(below: 500)) / 1_000_000) }
    guard let posted = world.pinned(&random) else { return }
    let (piece, task, loop) = (posted.piece, posted.task, posted.piece.loop)
    switch random.number(below: 100) {
    case 0: if !loop.isMain || random.once(in: 4) { loop.cancelAll() }
    case 1: describe(loop)
    case 2...4: loop.queue.budget = random.pick([nil, .microseconds(20), .milliseconds(1)])
    case 5...9: look(at: task, of: loop)
    case 10...29: piece.amend { task.when(random.pick(RunLoopTask.Timing.allCases)) }
    case 30...39: piece.amend { task.forModes(random.pick([[.default, .custom], [.common, .custom], [.default]])) }
    case 40...44:
      piece.amend { task.forModes(.custom) }
      _ = poster.post(.runCustomMode(&random), to: loop)
    case 45...59:
      piece.mayBeReplaced.set()
      piece.mayBeRekeyed.set()
      piece.amend { task.coalesced(by: Key(owner: nil, number: random.number(below: 5))) }
    default: posted.cancel()
    }
  }

  private mutating func look(at task: RunLoopTask, of loop: Loop) {
    Figure.descriptions.count()
    if !task.description.contains("Soak/Poster.swift") { Watch.complain("\(task) does not say where it was scheduled") }
    if loop.queue.count < 0 { Watch.complain("a queue has less than no tasks") }
  }

  /// Asks the loop itself, which may take a tenth of a second.
  private func describe(_ loop: Loop) {
    Figure.descriptions.count()
    let description = loop.queue.debugDescription
    if !description.hasPrefix("RunLoopTaskQueue") { Watch.complain("a queue describes itself as \(description)") }
    if loop.hasEnded.isSet != description.hasSuffix("ended"), !loop.isEnding.isSet {
      Watch.complain("loop \(loop.number) describes itself as \(description)")
    }
  }
}

/// Replaces loops by new ones.
struct Churner: Client {
  private let world: World
  private var random: Random

  init(_ world: World, _ random: inout Random) {
    self.world = world
    self.random = Random(seed: random.next())
  }

  mutating func step() {
    Thread.sleep(forTimeInterval: Double(random.number(below: 20)) / 1_000)
    let slot = random.pick(Array(world.slots.dropFirst()))
    slot.replace(with: .start(world, &random)).end(&random)
  }
}
