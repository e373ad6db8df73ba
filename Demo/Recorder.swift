import Arguments
import Foundation
import Synchronization

/// Records both acts as they happen and tells them in ten seconds: the first one in slow motion, then the second one,
/// each with a frame that is held where the difference is, and then the score.
@MainActor
struct Recorder {
  private typealias Round = (passes: PassList, frames: [[Panel]])

  private static let columns = [22, 250]
  private static let gridTop = 228
  private var film = Recording()

  static func run(path: String, rounds count: Int) -> Never {
    // The picture for dark pages: `demo~dark.svg` beside `demo.svg`.
    let paths = [path, path.hasSuffix(".svg") ? "\(path.dropLast(4))~dark.svg" : "\(path)~dark"]
    // An unwritable file ends the program before the recording, not after it.
    for path in paths {
      guard let probe = fopen(path, "a") else { fail(path) }
      fclose(probe)
    }
    let exchange = Exchange(interval: 0.1)
    let start = exchange.panels
    var rounds: [Round] = []
    var frames: [[Panel]] = []
    exchange.onFrame = {
      frames.append(exchange.panels)
      guard exchange.isRoundOver, rounds.count < count else { return }
      rounds.append((PassList(exchange.timeline.passesOfRound, from: .question), frames))
      frames = []
      if rounds.count == count { exchange.stop() }
    }
    exchange.start()
    RunLoop.main.runUntil { rounds.count == count && exchange.state == .stopped }
    let (samples, worst) = recordIdle()
    var recorder = Recorder()
    recorder.tell(rounds, start)
    recorder.tell(samples)
    recorder.tellScore(exchange.views.map(\.total), worst)
    for (path, theme) in zip(paths, [Recording.Theme.light, .dark]) {
      let label = """
        Two grids get a new number. In the first frame the grid that reloads by DispatchQueue.main.async is stale, and \
        the one that reloads at the end of the pass is not. Then two loops get \(Lane.jobsText). The spinner beside \
        main-queue blocks stands still for \(worst[0].text). The one beside idle tasks is at most \(worst[1].text) late.
        """
      guard let file = fopen(path, "w"), fputs(recorder.film.svg(theme, label: label), file) >= 0, fclose(file) == 0
      else { fail(path) }
    }
    output(["both acts in \(paths.joined(separator: " and "))"])
    exit(0)
  }

  private static func fail(_ path: String) -> Never {
    printError("cannot write \(path): \(String(cString: strerror(errno))); name another file")
    exit(73)  // EX_CANTCREAT
  }

  /// What the second act shows from a little before its jobs until a little after, and the worst delays.
  private static func recordIdle() -> (samples: [[Panel]], worst: [Duration]) {
    let (idle, samples) = (Idle(), Samples())
    RunLoop.main.runUntil { idle.lanes.allSatisfy { $0.state.turns > 20 } }
    idle.watch(every: 0.025) { states in
      samples.panels.withLock { $0.append(zip(idle.lanes, states).map { $0.way.panel($1) }) }
    }
    RunLoop.main.runUntil { samples.panels.withLock { $0.count } > 4 }
    idle.addJobs()
    idle.runUntilDone()
    let end = samples.panels.withLock { $0.count } + 4
    RunLoop.main.runUntil { samples.panels.withLock { $0.count } > end }
    return (samples.panels.withLock { $0 }, idle.lanes.map(\.state.worst))
  }

  private final class Samples: Sendable {
    let panels = Mutex<[[Panel]]>([])
  }

  // MARK: The story

  /// Types a command into the title bar, letter by letter.
  private mutating func type(_ command: String, from start: Double, to end: Double) {
    let step = 0.6 / Double(command.count)
    for count in 1...command.count {
      let from = count == 1 ? start : start + step * Double(count)
      let letters = Recording.text("$ " + command.prefix(count), x: 84, y: 26, .title)
      film.show(letters, from: from, to: count == command.count ? end : start + step * Double(count + 1))
    }
  }

  /// Shows panels, with a caption above.
  private mutating func show(_ panels: [Panel], _ caption: [String], from start: Double, to end: Double) {
    let style = panels.contains(where: \.isLate) ? Style.stale : .title
    let parts = zip(panels, Self.columns).map { film.panel($0, x: $1, y: Self.gridTop) }
    film.show(Recording.lines(caption.map { ($0, style) }, y: 60) + parts.joined(), from: start, to: end)
  }

  private func codes(_ codes: [[String]]) -> String {
    zip(codes, Self.columns).map { code, x in Recording.lines(code.map { ($0, .plain) }, x: x - 6, y: 190) }.joined()
  }

  /// The first act, from 0 s to 4.6 s.
  private mutating func tell(_ rounds: [Round], _ start: [Panel]) {
    type("swift run Demo", from: 0, to: 4.6)
    let notes = ["Simulated frames, drawn as on macOS 15.", "iOS 18+: one UIUpdateLink, link.addRunLoopTasks()"]
    let codes = codes([
      ["DispatchQueue.main.async", "{ reload() }"], [".when(.currentLoopEnded)", ".coalesced(by: view)"],
    ])
    film.show(
      Recording.band(y: 90, height: 30) + Recording.text("worker thread", y: 110, .title)
        + Recording.band(y: 146, height: 454) + Recording.text("main thread", y: 167, .title) + codes
        + Recording.lines(notes.map { ($0, .plain) }, y: 572),
      from: 0, to: 4.6)
    let length = 4 / Double(rounds.count)
    var (panels, shownFrom, time) = (start, 0.0, 0.6)
    var words = ["A main-queue block brings a new number", "and requests \(Cells.count) reloads."]
    for (index, round) in rounds.enumerated() {
      let events = zip(round.passes.heads(), round.passes.rows).flatMap { head, row in
        row.notes.enumerated().map { (($0 == 0 ? head : "▸ ".leftPadded(to: head.count)) + $1.text, $1) }
      }
      let end = 0.6 + length * Double(index + 1)
      let unit = length / events.map { Self.part(of: $0.1.kind) }.reduce(0, +)
      var frames = round.frames
      for (row, (text, note)) in events.enumerated() {
        let next = time + unit * Self.part(of: note.kind)
        film.show(Recording.text(text, y: 424 + 20 * row, note.style), from: time, to: end)
        switch note.kind {
        case .question: message("next number, please", isAnswer: false, from: time, to: next)
        case .answer: message("the next number", isAnswer: true, from: time, to: next)
        case .frame(let isStale):
          show(panels, words, from: shownFrom, to: time)
          (panels, shownFrom) = (frames.removeFirst(), time)
          words =
            isStale
            ? ["This frame: the left grid is stale.", "The right one has reloaded, and only once."]
            : ["The next frame: both grids are new."]
          if isStale, index == 0 { film.still = time + 0.01 }  // a little after, because a percentage is rounded
        default: break
        }
        time = next
      }
    }
    show(panels, words, from: shownFrom, to: 4.6)
  }

  /// How much of a round an event takes, compared with the others.
  private static func part(of kind: Timeline.Note.Kind) -> Double {
    switch kind {
    case .question, .answer: 2
    case .frame(let isStale): isStale ? 8 : 3
    default: 1
    }
  }

  /// A message between the threads, which moves from one to the other.
  private mutating func message(_ text: String, isAnswer: Bool, from start: Double, to end: Double) {
    let (x, y) = (Self.columns[isAnswer ? 1 : 0], isAnswer ? 98 : 138)
    let shape = isAnswer ? "M\(x) \(y)h205v18l-102 8l-103 -8z" : "M\(x) \(y + 26)h205v-18l-102 -8l-103 8z"
    let words = Recording.text(text, x: x + 14, y: y + (isAnswer ? 15 : 21))
    film.show(
      "<g class=\"message\"><path d=\"\(shape)\"/>\(words)</g>", from: start, to: end, travel: isAnswer ? 40 : -40)
  }

  /// The second act, from 4.6 s to 8 s.
  private mutating func tell(_ samples: [[Panel]]) {
    type("swift run Demo idle", from: 4.6, to: Recording.duration)
    let notes = [
      "On each of two loops a timer turns a spinner,", "and \(Lane.jobsText) of 0.5 ms want to run.",
      "Not simulated: both loops are real.", "Slow motion, measured delays.",
    ]
    film.show(
      Recording.band(y: 146, height: 454) + Recording.text("main loop", y: 167, .title)
        + Recording.text("loop of a thread", x: Self.columns[1] - 6, y: 167, .title)
        + codes([["DispatchQueue.main.async", "{ job() }"], [".perform { job() }", ".when(.idle)"]])
        + Recording.lines(notes.map { ($0, .plain) }, y: 460), from: 4.6, to: 8)
    // The last moment at which the left spinner stands still is held.
    let held = samples.lastIndex { $0[0].isLate } ?? 0
    let step = (8 - 5.2 - 0.9) / Double(samples.count)
    var time = 4.6
    for (index, panels) in samples.enumerated() {
      let next = (index == 0 ? 5.2 : time) + step + (index == held ? 0.9 : 0)
      let words =
        panels[0].isLate
        ? ["Left, no timer fires until all jobs are done.", "Right, it fires between the jobs."]
        : index < held ? ["\(Lane.jobsText) come to each loop."] : ["All jobs are done."]
      show(panels, words, from: time, to: next)
      time = next
    }
  }

  private mutating func tellScore(_ tallies: [CollectionView.Tally], _ worst: [Duration]) {
    func row(_ name: String, _ cells: [String], _ y: Int, isScore: Bool = true) -> String {
      Recording.text(name, x: 20, y: y)
        + zip(cells, [Style.stale, .task]).enumerated().map {
          Recording.text($1.0, x: 180 + 150 * $0, y: y, isScore ? $1.1 : .title)
        }.joined()
    }
    film.show(
      Recording.band(y: 146, height: 454) + Recording.text("The score", x: 20, y: 190, .title)
        + row("", ["DispatchQueue", "RunLoopTasks"], 230, isScore: false)
        + row("requests", tallies.map { "\($0.requests)" }, 266) + row("reloads", tallies.map { "\($0.reloads)" }, 296)
        + row("stale frames", tallies.map { "\($0.staleFrames)" }, 326)
        + row("worst delay", worst.map(\.text), 356), from: 8, to: Recording.duration)
  }
}
