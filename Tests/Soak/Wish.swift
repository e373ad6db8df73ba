import Foundation
import RunLoopTasks

/// What a loop is asked to do, and when.
struct Wish: Sendable, CustomStringConvertible {
  var timing = RunLoopTask.Timing.nextLoopBegan
  var modes: [RunLoop.Mode] = [.default]
  var key: Key?
  var errand = Errand.nothing
  /// Where the errand's random choices start.
  var seed: UInt64 = 0

  /// Runs the custom mode nested, so that the tasks which were scheduled for it before get their turn.
  static func runCustomMode(_ random: inout Random) -> Wish {
    Wish(timing: random.pick(RunLoopTask.Timing.allCases), errand: .runCustomMode, seed: random.next())
  }

  /// Anything that runs without further ado on a loop in the default mode, or for the custom mode alone.
  static func any(by poster: Int, _ random: inout Random) -> Wish {
    var wish = Wish(timing: random.pick(RunLoopTask.Timing.allCases), seed: random.next())
    switch random.number(below: 10) {
    case 0: wish.modes = [.common]
    case 1: wish.modes = [.default, .custom]
    case 2: wish.modes = [.custom]
    default: break
    }
    if random.once(in: 6) {
      wish.key = Key(owner: random.once(in: 3) ? nil : poster, number: random.number(below: 5))
    }
    if random.once(in: 3) { wish.errand = random.pick(Errand.ordinary) }
    return wish
  }

  var description: String {
    "\(timing) in \(modes.map(\.rawValue))\(key.map { ", \($0)" } ?? "")\(errand == .nothing ? "" : ", \(errand)")"
  }
}

/// What tasks are coalesced by. It is counted, because a key is to be forgotten with its task.
struct Key: Hashable, Sendable, CustomStringConvertible {
  /// Who alone uses it; `nil` if all do.
  let owner: Int?
  let number: Int
  private let captive = Captive(.keys)

  init(owner: Int?, number: Int) { (self.owner, self.number) = (owner, number) }

  static func == (one: Key, other: Key) -> Bool { (one.owner, one.number) == (other.owner, other.number) }

  func hash(into hasher: inout Hasher) {
    hasher.combine(owner)
    hasher.combine(number)
  }

  var description: String { "key \(number) of \(owner.map { "poster \($0)" } ?? "all")" }
}
