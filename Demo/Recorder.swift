import Arguments
import Foundation

/// Records rounds of the exchange as they happen and writes them as two animated pictures.
@MainActor
enum Recorder {
  static func run(path: String, rounds count: Int) -> Never {
    let paths = [path, darkPath(path)]
    // An unwritable file ends the program before the recording, not after it.
    for path in paths {
      guard let probe = fopen(path, "a") else { fail(path) }
      fclose(probe)
    }
    var frames: [[CollectionView]] = []
    var rounds: [Recording.Round] = []
    let exchange = Exchange(interval: 0.1)
    let start = exchange.views
    exchange.onFrame = {
      frames.append(exchange.views)
      guard exchange.isRoundOver else { return }
      let passes = PassList(exchange.timeline.passesOfRound, from: .question)
      rounds.append(Recording.Round(passes: passes, frames: frames))
      frames = []
      guard rounds.count == count else { return }
      let recording = Recording(rounds: rounds, start: start)
      for (path, theme) in zip(paths, [Recording.Theme.light, .dark]) { write(recording.svg(theme), to: path) }
      output("\(counted(count, "round")) in \(paths.joined(separator: " and "))\n")
      exit(0)
    }
    exchange.start()
    runForEver()
  }

  /// The name of the picture for dark pages: `demo~dark.svg` beside `demo.svg`.
  private static func darkPath(_ path: String) -> String {
    path.hasSuffix(".svg") ? "\(path.dropLast(4))~dark.svg" : "\(path)~dark"
  }

  private static func write(_ picture: String, to path: String) {
    guard let file = fopen(path, "w"), fputs(picture, file) >= 0, fclose(file) == 0 else { fail(path) }
  }

  private static func fail(_ path: String) -> Never {
    let reason = String(cString: strerror(errno))
    printError("cannot write \(path): \(reason); name another file")
    exit(73)  // EX_CANTCREAT
  }
}
