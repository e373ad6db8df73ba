import Foundation
import RunLoopTasks

/// Records rounds of the exchange as they really happen, and writes them as an animated picture.
@MainActor
enum Recorder {
  static func run(path: String, rounds: Int) -> Never {
    // Before the recording, so that nobody waits for what cannot be kept.
    guard let probe = fopen(path, "a") else { fail(path) }
    fclose(probe)
    var frames: [Recording.Frame] = []
    let exchange = Exchange(interval: 0.1) { exchange in
      let passes = exchange.timeline.passes
      frames.append(Recording.Frame(round: exchange.round, alphas: exchange.view.alphas, passes: passes))
      exchange.timeline.removeAll()
      guard exchange.round.number == rounds else { return }
      let picture = Recording(frames: frames, view: exchange.view).svg
      guard let file = fopen(path, "w"), fputs(picture, file) >= 0, fclose(file) == 0 else { fail(path) }
      print("\(counted(rounds, "round")) in \(path), \(picture.utf8.count) bytes")
      exit(0)
    }
    exchange.start()
    runForEver()
  }

  private static func fail(_ path: String) -> Never {
    let reason = String(cString: strerror(errno))
    FileHandle.standardError.write(Data("Demo: cannot write \(path): \(reason); name another file\n".utf8))
    exit(73)  // EX_CANTCREAT
  }
}
