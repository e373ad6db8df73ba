import Foundation
import RunLoopTasks

/// Records rounds of the exchange as they really happen, and writes them as an animated picture.
@MainActor
enum Recorder {
  static func run(path: String, rounds: Int) -> Never {
    // Before the recording, so that nobody waits for what cannot be kept.
    guard let probe = fopen(path, "a") else { fail(path) }
    fclose(probe)
    let start = Date()
    var frames: [Recording.Frame] = []
    let exchange = Exchange(interval: 1) { exchange in
      frames.append(
        Recording.Frame(
          time: Date().timeIntervalSince(start), round: exchange.round, alphas: exchange.view.alphas,
          passes: exchange.timeline.passes))
      exchange.timeline.removeAll()
      guard exchange.round.number == rounds else { return }
      let picture = Recording(frames: frames, view: exchange.view).svg
      guard let file = fopen(path, "w"), fputs(picture, file) >= 0, fclose(file) == 0 else { fail(path) }
      print("\(rounds) round\(rounds == 1 ? "" : "s") in \(path), \(picture.utf8.count) bytes")
      exit(0)
    }
    exchange.start()
    runForEver()
  }

  private static func fail(_ path: String) -> Never {
    let reason = String(cString: strerror(errno))
    FileHandle.standardError.write(Data("Demo: cannot write \(path): \(reason)\n".utf8))
    exit(73)  // EX_CANTCREAT
  }
}
