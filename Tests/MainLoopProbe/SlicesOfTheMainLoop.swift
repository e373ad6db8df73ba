import Foundation
import RunLoopTasks

/// Slices of idle tasks on the main loop. A block of the main queue is always ready, because each schedules the next, and in
/// each slice a timer and a source become ready. The source runs the loop in another mode.
final class SlicesOfTheMainLoop: @unchecked Sendable {
  // Unchecked, because it is only used on the main thread.

  private static let custom = RunLoop.Mode("custom")
  private var ready: Set<String> = []
  /// How many had no turn before the next slice.
  private var late = 0
  private var slices = 0
  /// How many blocks have run since the latest slice, and the most between two.
  private var (blocks, mostBlocks) = (0, 0)

  /// - Parameter drive: runs the loop until no task is pending.
  func report(_ drive: () -> Void) {
    RunLoop.main.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: Self.custom)
    RunLoop.main.perform {}.forModes(Self.custom).cancel()
    let source = RunLoopSource<Int> { [self] _ in
      ready.remove("source")
      _ = RunLoop.current.run(mode: Self.custom, before: .distantPast)
    }
    RunLoop.main.add(source, forMode: .default)
    for _ in 1...8 {
      RunLoop.main.perform(when: .idle) { [self] in
        late += ready.count
        if slices == 0 { addBlock() } else { mostBlocks = max(mostBlocks, blocks) }
        (slices, blocks, ready) = (slices + 1, 0, ["block", "timer", "source"])
        let timer = Timer(fire: .now, interval: 0, repeats: false) { [self] _ in ready.remove("timer") }
        RunLoop.main.add(timer, forMode: .default)
        source.send(0)
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
    drive()
    say("\(slices) slices, \(late) late, \(mostBlocks > 9 ? "\(mostBlocks)" : "few") blocks in between")
  }

  private func addBlock() {
    DispatchQueue.main.async { [self] in
      ready.remove("block")
      blocks += 1
      if slices < 8 { addBlock() }
    }
  }
}
