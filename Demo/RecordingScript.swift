import Foundation

/// The animations of a recording.
///
/// The events of the rounds come in their real order, in slow motion. The picture begins at the first frame, which is
/// also what a page without animations shows.
struct RecordingScript {
  private static let secondsPerRound = 2.5

  private let rounds: [Recording.Round]
  /// The moments of each round's events, and last the end of the round, in seconds.
  private let moments: [[Double]]
  private let duration: Double

  init(rounds: [Recording.Round]) {
    self.rounds = rounds
    duration = Self.secondsPerRound * Double(rounds.count)
    moments = rounds.enumerated().map { index, round in
      let parts = round.notes.map(Self.part)
      let ends = parts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
      return ends.map { Self.secondsPerRound * (Double(index) + $0 / ends[ends.count - 1]) }
    }
  }

  /// How much of the round an event takes, compared with the others.
  private static func part(of note: Timeline.Note) -> Double {
    switch note.kind {
    case .question, .answer: 2
    case .frame: 5
    default: 1
    }
  }

  /// The number of the first round's event that is the first frame.
  var firstFrame: Int { rounds.first?.notes.firstIndex { $0.kind.isFrame } ?? 0 }

  /// The animations.
  ///
  /// - Parameter travel: the distance that a message moves.
  func styles(travel: Int) -> String {
    // A little after the moment, because a percentage is rounded.
    let begin = (moments.first?[firstFrame] ?? 0) + 0.01
    return """
      [id] { animation: \(String(format: "%.2fs infinite step-end -%.2fs", duration, begin)) }
      .message { animation-timing-function: ease-in-out }
      @media (prefers-reduced-motion: reduce) { [id] { animation: none !important } }
      \((frames + rounds.indices.flatMap { events(of: $0, travel) }).joined(separator: "\n"))
      """
  }

  /// Each frame stays until the next one. The last one stays until the end.
  private var frames: [String] {
    var shown = [("start", 0.0)]
    for (index, round) in rounds.enumerated() {
      let numbers = round.notes.indices.filter { round.notes[$0].kind.isFrame }
      shown += numbers.map { ("f\(index)-\($0)", moments[index][$0]) }
    }
    return zip(shown, shown.dropFirst().map(\.1) + [duration]).map { animation(of: $0.0, visible(from: $0.1, to: $1)) }
  }

  private func events(of index: Int, _ travel: Int) -> [String] {
    let moments = moments[index]
    return rounds[index].notes.enumerated().flatMap { number, note in
      let appears = animation(of: "n\(index)-\(number)", visible(from: moments[number], to: moments[moments.count - 1]))
      guard [.question, .answer].contains(note.kind) else { return [appears] }
      let way = note.kind == .answer ? (0, travel) : (travel, 0)
      return [
        appears, animation(of: "m\(index)-\(number)", moves(from: moments[number], to: moments[number + 1], way)),
      ]
    }
  }

  // MARK: Key frames

  private func animation(of id: String, _ rules: [String]) -> String {
    "#\(id) { animation-name: \(id) } @keyframes \(id) { \(rules.joined(separator: " ")) }"
  }

  private func visible(from start: Double, to end: Double) -> [String] {
    (start > 0 ? ["0% { visibility: hidden }"] : []) + ["\(percentage(start)) { visibility: visible }"]
      + (end < duration ? ["\(percentage(end)) { visibility: hidden }"] : [])
  }

  /// Moves from one height to the other, and is invisible before and after.
  private func moves(from start: Double, to end: Double, _ way: (from: Int, to: Int)) -> [String] {
    func at(_ time: Double, _ y: Int, _ opacity: Int) -> String {
      "\(percentage(time)) { transform: translateY(\(y)px); opacity: \(opacity); visibility: visible }"
    }
    let instant = duration / 10_000
    return [
      at(0, way.from, start == 0 ? 1 : 0), at(start, way.from, start == 0 ? 1 : 0),
      at(start + instant, way.from, 1), at(end, way.to, 1), at(end + instant, way.to, 0), at(duration, way.to, 0),
    ]
  }

  private func percentage(_ time: Double) -> String { String(format: "%.2f%%", time / duration * 100) }
}
