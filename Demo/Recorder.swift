import Arguments
import CoreFoundation
import Foundation
import RunLoopTasks

/// Records both acts as they happen and tells them in ten seconds: the first one, the second one, both in slow motion
/// and with the difference held for a while, and the score.
@MainActor
struct Recorder {
  private typealias Round = (rows: [Timeline.Row], frames: [[Panel]])

  /// Where the grids stand, by their number.
  private static let columns = [2: [22, 250], 3: [22, 172, 322]]
  private static let systems = Recording.lines(
    "Simulated frames, drawn as on macOS 15.\niOS 18+: one UIUpdateLink, link.addRunLoopTasks()", y: 502)
  private var film = Recording()

  static func run(path: String, rounds count: Int) -> Never {
    // The picture for dark pages: `demo~dark.svg` beside `demo.svg`.
    let paths = [path, path.hasSuffix(".svg") ? "\(path.dropLast(4))~dark.svg" : "\(path)~dark"]
    // An unwritable file ends the program before the recording, not after it.
    let files = paths.map { path in
      guard let file = fopen(path, "w") else { fail(path) }
      return file
    }
    let exchange = Exchange(interval: 0.1)
    let start = exchange.panels
    var rounds: [Round] = []
    var frames: [[Panel]] = []
    exchange.onFrame = {
      frames.append(exchange.panels)
      guard exchange.isRoundOver, rounds.count < count else { return }
      rounds.append((exchange.timeline.rows(from: .question), frames))
      frames = []
      if rounds.count == count { CFRunLoopStop(CFRunLoopGetMain()) }
    }
    exchange.start()
    CFRunLoopRun()  // as in an app
    exchange.stop()
    let (samples, worst) = recordIdle()
    var recorder = Recorder()
    recorder.tell(rounds, start)
    recorder.tell(samples)
    recorder.tellScore(exchange.views, worst)
    let label = """
      Two grids get a new number. In the first frame the grid that reloads by a flag and one main-queue block is stale, \
      and the one that reloads at the end of the pass is not. Then three loops get \(Lane.jobsText). The spinner beside \
      main-queue blocks is up to \(worst[0].text) late, the one beside chunks written by hand up to \(worst[1].text), \
      and the one beside idle tasks up to \(worst[2].text).
      """
    for (index, theme) in [Recording.Theme.light, .dark].enumerated() {
      let picture = recorder.film.svg(theme, label: label)
      guard fputs(picture, files[index]) >= 0, fclose(files[index]) == 0 else { fail(paths[index]) }
    }
    output(["both acts in \(paths.joined(separator: " and "))"])
    exit(0)
  }

  private static func fail(_ path: String) -> Never {
    printError("cannot write \(path): \(String(cString: strerror(errno))); name another file")
    exit(73)  // EX_CANTCREAT
  }

  /// What the second act shows, and the worst delays.
  private static func recordIdle() -> (samples: [[Panel]], worst: [Duration]) {
    let idle = Idle()
    let samples = Locked<[[Panel]]>([])
    idle.watch(every: 0.025) { panels in samples.withLock { $0.append(panels) } }
    idle.runOnce()
    let all = samples.withLock { $0 }
    let some = stride(from: 0, to: all.count, by: all.count / 40 + 1).map { all[$0] }
    return (some, idle.lanes.map(\.state.worst))
  }

  /// Types a command into the title bar, letter by letter.
  private mutating func type(_ command: String, from start: Double, to end: Double) {
    for count in 1...command.count {
      let time = start + 0.6 * Double(count) / Double(command.count)
      let next = count == command.count ? end : time + 0.6 / Double(command.count)
      film.show(Recording.lines("$ " + command.prefix(count), x: 84, y: 23, .title), from: time, to: next)
    }
  }

  /// The code above the grids.
  private static func codes(_ codes: String...) -> String {
    zip(codes, columns[codes.count] ?? []).map { Recording.lines($0, x: $1 - 6, y: 112) }.joined()
  }

  /// Shows grids, with a caption above.
  private mutating func show(_ panels: [Panel], _ caption: String, from start: Double, to end: Double) {
    let caption = Recording.lines(caption, y: 62, panels.contains(where: \.isLate) ? .stale : .title)
    let scale = panels.count == 2 ? 1 : 0.63
    let columns = Self.columns[panels.count] ?? []
    film.show(
      caption + zip(panels, columns).map { film.panel($0, x: $1, y: 154, scale: scale) }.joined(), from: start, to: end)
  }

  /// The first act, from 0 s to 4.6 s.
  private mutating func tell(_ rounds: [Round], _ start: [Panel]) {
    type("swift run Demo", from: 0, to: 4.6)
    let codes = Self.codes("a flag and main.async\n{ reload() }", ".when(.currentLoopEnded)\n.coalesced(by: key)")
    film.show(codes + Self.systems, from: 0, to: 4.6)
    let length = 4 / Double(rounds.count)
    var (panels, shownFrom, time) = (start, 0.0, 0.6)
    var caption = "A main-queue block brings a new number\nand requests \(Cells.count) reloads."
    for (index, round) in rounds.enumerated() {
      let end = 0.6 + length * Double(index + 1)
      // The stale frame is held.
      let parts = round.rows.map { $0.note.kind == .frame(isStale: true) ? 6.0 : 1 }
      var frames = round.frames
      for (number, row) in round.rows.enumerated() {
        let words = Recording.lines(row.head("") + row.note.text, y: 370 + 20 * number, row.note.style)
        film.show(words, from: time, to: end)
        if case .frame(let isStale) = row.note.kind {
          show(panels, caption, from: shownFrom, to: time)
          (panels, shownFrom) = (frames.removeFirst(), time)
          caption =
            isStale
            ? "This frame: the left grid is stale.\nThe right one has reloaded in time."
            : "The next frame: both grids are new."
          if isStale, index == 0 { film.still = time + 0.01 }  // a little after, because a percentage is rounded
        }
        time += length * parts[number] / parts.reduce(0, +)
      }
    }
    show(panels, caption, from: shownFrom, to: 4.6)
  }

  /// The second act, from 4.6 s to 8 s.
  private mutating func tell(_ samples: [[Panel]]) {
    type("swift run Demo idle", from: 4.6, to: Recording.duration)
    let notes = """
      A timer turns a spinner on each of three loops.
      Each loop also gets \(Lane.jobsText) of 0.5 ms.

      Idle tasks also let other tasks go first,
      and have limits, modes and a cancel.

      Not simulated. Slow motion, measured delays.
      """
    let codes = Self.codes("main.async\n{ job() }", "4 ms chunks,\nby hand", "{ job() }\n.when(.idle)")
    film.show(codes + Recording.lines(notes, y: 360), from: 4.6, to: 8)
    // The last moment at which the left spinner has stalled is held.
    let held = samples.lastIndex { $0[0].isLate } ?? 0
    let step = (8 - 5.2 - 0.9) / Double(samples.count)
    var time = 4.6
    for (index, panels) in samples.enumerated() {
      let next = (index == 0 ? 5.2 : time) + step + (index == held ? 0.9 : 0)
      let caption =
        panels[0].isLate
        ? "Left, no timer fires until all jobs are done.\nThe others fire between the jobs."
        : index < held ? "\(Lane.jobsText) come to each loop." : "The left timer fires again."
      show(panels, caption, from: time, to: next)
      time = next
    }
  }

  /// The score, from 8 s to the end.
  private mutating func tellScore(_ views: [CollectionView], _ worst: [Duration]) {
    let rows = [
      ("The score", "main.async", "RunLoopTasks", Style.title), ("", "", "", .plain),
      ("reloads", "\(views[0].reloads)", "\(views[1].reloads)", .task),
      ("stale frames", "\(views[0].staleFrames)", "\(views[1].staleFrames)", .stale),
      ("timer late by", worst[0].text, worst[2].text, .stale),
      ("… with chunks by hand", worst[1].text, "", .task),
    ]
    let score = rows.enumerated().map { index, row in
      let y = 150 + 20 * index
      return Recording.lines(row.0, y: y, .title) + Recording.lines(row.1, x: 230, y: y, row.3)
        + Recording.lines(row.2, x: 360, y: y, index == 0 ? .title : .task)
    }.joined()
    film.show(score + Self.systems, from: 8, to: Recording.duration)
  }
}
