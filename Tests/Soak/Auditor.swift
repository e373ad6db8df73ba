import Foundation

/// Judges tasks as they come to their end, says how it goes, and ends the program if something is stuck.
enum Auditor {
  private static let secondsBetweenLines = 2

  static func start(_ world: World) {
    Thread {
      let isShown = isatty(STDERR_FILENO) == 1
      let start = ContinuousClock.now
      var shown = 0
      while !world.isClosed.isSet {
        let open = world.ledger.audit()
        let overdue = world.ledger.overdue(world.patience)
        if !overdue.isEmpty {
          Watch.die("\(overdue.count) tasks never come to their end", status(world))
        }
        Watch.check(world.patience) { status(world) }
        let seconds = Int(start.duration(to: .now).components.seconds)
        if isShown, seconds >= shown + secondsBetweenLines {
          shown = seconds
          Watch.say(
            "\(seconds) s: \(Figure.ran.value) tasks run, \(open) open, \(Figure.threads.value) threads started")
        }
        Thread.sleep(forTimeInterval: 0.05)
      }
    }.start()
  }

  static func status(_ world: World) -> String {
    let loops = world.slots.map(\.loop).filter { $0.queue.count > 0 }
    let counts = loops.map { "  loop \($0.number): \($0.queue.count), \($0.depth.value) deep in nested runs" }
    let kept = Live.left().map { "  \($0)" }.joined(separator: "\n")
    return "\(world.ledger.listing)\nalive:\n\(kept)\npending, by loop:\n\(counts.joined(separator: "\n"))"
  }
}
