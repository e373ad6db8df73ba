import Foundation
import RunLoopTasks

/// Schedules on loops of other threads, as many tasks at a time as its window lets it.
struct Producer: Client {
  private let world: World
  private let slots: [Slot]
  private let window: Window
  /// Whether it is the only one that schedules there.
  private let isAlone: Bool
  private var poster = Poster()
  private var random: Random
  private var former: Loop?

  init(_ world: World, _ slots: [Slot], window size: Int, _ random: inout Random) {
    (self.world, self.slots, window, isAlone) = (world, slots, Window(size), size == 1)
    self.random = Random(seed: random.next())
  }

  mutating func step() {
    let loop = random.pick(slots).loop
    if isAlone { pause(loop) }
    let wish = Wish.any(by: poster.number, &random)
    window.open("poster \(poster.number) waits for a task on loop \(former?.number ?? 0)")
    // Now and then one whose loop may have ended.
    let target = random.once(in: 20) ? former ?? loop : loop
    let posted = poster.post(wish, to: target, in: window)
    if !target.isEnding.isSet { former = target }
    if wish.modes == [.custom] { bringHome(posted) }
    if random.once(in: 20) { posted.cancel() }  // just when the loop may begin it
    if isAlone { return }
    if random.once(in: 3) { world.pin(posted, &random) }
    if random.once(in: 50) { loop.ring() }
  }

  /// Lets a task come to its end that waits for the custom mode.
  private mutating func bringHome(_ posted: Posted) {
    if isAlone { nap() }
    switch random.number(below: 4) {
    case 0: posted.cancel()
    case 1: posted.piece.amend { posted.task.forModes(.default) }
    default: _ = poster.post(.runCustomMode(&random), to: posted.piece.loop)
    }
  }

  /// Lets a loop that it has alone fall asleep, or go through some passes without tasks until it rests.
  private mutating func pause(_ loop: Loop) {
    if random.once(in: 20) {
      for _ in 0..<random.number(below: 20) {
        loop.ring()
        Thread.sleep(forTimeInterval: 0.0001)
      }
    }
    nap()
  }

  /// Shorter or longer than a loop takes to fall asleep again.
  private mutating func nap() {
    let longest = random.pick([0, 300, 10_000])
    Thread.sleep(forTimeInterval: Double(random.number(below: longest + 1)) / 1_000_000)
  }
}
