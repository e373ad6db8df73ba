import Foundation
import RunLoopTasks

/// What a task does on its loop's thread.
enum Errand: Sendable {
  case nothing
  /// Takes a little time, which counts against a budget.
  case work
  case followUp
  case postElsewhere
  case observe
  case describe
  case runPass
  /// Not an ordinary one: it is what tasks for the custom mode alone wait for.
  case runCustomMode

  static let ordinary: [Errand] = [.work, .work, .followUp, .followUp, .postElsewhere, .observe, .describe, .runPass]
  private static let mostDepth = 3

  func perform(on loop: Loop, _ random: inout Random) {
    switch self {
    case .nothing: break
    case .work: Self.work(&random)
    case .followUp: Self.followUp(loop, &random)
    case .postElsewhere:
      Self.post(to: random.pick(loop.world.busySlots).loop, from: loop, &random)
    case .observe: Observer.start(on: loop, &random)
    case .describe:
      Figure.descriptions.count()
      if !loop.queue.debugDescription.contains("pending") { Watch.complain("a queue does not describe itself") }
    case .runPass:
      let mode = random.pick([RunLoop.Mode.default, .custom])
      if loop.depth.value < Self.mostDepth { loop.runNested { RunLoop.current.runPass(mode: mode) } }
    case .runCustomMode:
      loop.runNested {
        // A mode in which tasks are pending is kept alive by them, and no longer: this comes to its end by itself.
        if random.once(in: 2) { _ = RunLoop.current.run(mode: .custom, before: .distantFuture) }
        while !RunLoop.current.runUntilTasksFinish(mode: .custom) {}
      }
    }
  }

  private static func work(_ random: inout Random) {
    let end = ContinuousClock.now + .microseconds(random.number(below: 50))
    while ContinuousClock.now < end {}
  }

  /// Schedules on the loop's own thread, amends and cancels there.
  private static func followUp(_ loop: Loop, _ random: inout Random) {
    for _ in 0...random.number(below: 2) {
      let posted = post(to: loop, from: loop, &random)
      switch random.number(below: 8) {
      case 0: posted.cancel()
      case 1: posted.piece.amend { posted.task.when(random.pick(RunLoopTask.Timing.allCases)) }
      case 2: loop.world.pin(posted, &random)
      default: break
      }
    }
    if random.once(in: 200) { loop.cancelAll() }
  }

  /// Schedules something that in turn schedules nothing but what it takes to come to its end.
  @discardableResult
  private static func post(to other: Loop, from loop: Loop, _ random: inout Random) -> Posted {
    loop.ownPoster.withLock { poster in
      var wish = Wish.any(by: poster.number, &random)
      if wish.errand != .nothing { wish.errand = .work }
      let isHere = other === loop && random.once(in: 2)
      let posted = isHere ? poster.postHere(wish, to: loop) : poster.post(wish, to: other)
      if wish.modes == [.custom] { _ = poster.post(.runCustomMode(&random), to: other) }
      return posted
    }
  }
}
