import Foundation

/// The animations of a recording.
///
/// The events of the rounds come in their real order, in slow motion. The picture begins at the first frame, which is
/// also what a page without animations shows.
struct RecordingScript {
  private static let travelTime = 0.8

  private let rounds: [Recording.Round]
  private let start: [CollectionView]
  /// The moments of each round's events, in seconds.
  private var moments: [[Double]] = []
  /// The beginnings of the rounds.
  private var begins: [Double] = []
  private var duration = 0.0

  init(rounds: [Recording.Round], start: [CollectionView]) {
    (self.rounds, self.start) = (rounds, start)
    for round in rounds {
      begins.append(duration)
      moments.append(
        round.notes.map { note in
          defer { duration += Self.time(of: note) }
          return duration
        })
    }
  }

  /// The time that an event takes.
  private static func time(of note: Timeline.Note) -> Double {
    switch note.kind {
    case .question, .answer: travelTime
    case .frame: 2
    default: 0.4
    }
  }

  /// The number of the first round's event that is the first frame.
  var firstFrame: Int { rounds.first?.notes.firstIndex { $0.kind.isFrame } ?? 0 }

  static func id(ofCell cell: Int, view: Int) -> String { "c\(view)-\(cell)" }

  /// The animations.
  ///
  /// - Parameter travel: the distance that a message moves.
  func styles(travel: Int) -> String {
    // A little after the moment, because a percentage is rounded.
    let begin = (moments.first?[firstFrame] ?? 0) + 0.05
    return """
      [id] { animation: \(String(format: "%.2fs infinite step-end -%.2fs", duration, begin)) }
      .message { animation-timing-function: ease-in-out }
      @media (prefers-reduced-motion: reduce) { [id] { animation: none !important } }
      \((frames + rounds.indices.flatMap { events(of: $0, travel) }).joined(separator: "\n"))
      """
  }

  /// Each frame stays until the next one. The last one stays until the end.
  private var frames: [String] {
    var shown: [(moment: Double, id: String, views: [CollectionView])] = []
    for (index, round) in rounds.enumerated() {
      let numbers = round.notes.indices.filter { round.notes[$0].kind.isFrame }
      for (number, views) in zip(numbers, round.frames) {
        shown.append((moments[index][number], "f\(index)-\(number)", views))
      }
    }
    let ends = shown.dropFirst().map(\.moment)
    let groups = shown.enumerated().map { index, frame in
      animation(of: frame.id, visible(from: frame.moment, to: index < ends.count ? ends[index] : nil))
    }
    let cells = start.indices.flatMap { view in
      (0..<CollectionView.count).map { cell in
        let steps: [(Double, [CollectionView])] = [(0, start)] + shown.map { ($0.moment, $0.views) }
        let rules = steps.map { moment, views in
          "\(percentage(moment)) { opacity: \(String(format: "%.2f", views[view].alphas[cell])) }"
        }
        return animation(of: Self.id(ofCell: cell, view: view), rules)
      }
    }
    return groups + cells
  }

  private func events(of index: Int, _ travel: Int) -> [String] {
    let end = index + 1 < begins.count ? begins[index + 1] : nil
    var styles = [animation(of: "q\(index)", visible(from: begins[index], to: end))]
    for (number, note) in rounds[index].notes.enumerated() {
      let moment = moments[index][number]
      styles.append(animation(of: "n\(index)-\(number)", visible(from: moment, to: end)))
      switch note.kind {
      case .question: styles.append(animation(of: "m\(index)-\(number)", moves(at: moment, (travel, 0))))
      case .answer: styles.append(animation(of: "m\(index)-\(number)", moves(at: moment, (0, travel))))
      default: break
      }
    }
    return styles
  }

  // MARK: Key frames

  private func animation(of id: String, _ rules: [String]) -> String {
    "#\(id) { animation-name: \(id) } @keyframes \(id) { \(rules.joined(separator: " ")) }"
  }

  private func visible(from start: Double, to end: Double?) -> [String] {
    (start > 0 ? ["0% { visibility: hidden }"] : []) + ["\(percentage(start)) { visibility: visible }"]
      + (end.map { ["\(percentage($0)) { visibility: hidden }"] } ?? [])
  }

  /// Moves from one height to the other, and is invisible before and after.
  private func moves(at start: Double, _ way: (from: Int, to: Int)) -> [String] {
    let end = start + Self.travelTime
    func at(_ time: Double, _ y: Int, _ opacity: Int) -> String {
      "\(percentage(time)) { transform: translateY(\(y)px); opacity: \(opacity) }"
    }
    let instant = duration / 10_000
    return [
      at(0, way.from, start == 0 ? 1 : 0), at(start, way.from, start == 0 ? 1 : 0),
      at(start + instant, way.from, 1), at(end, way.to, 1), at(end + instant, way.to, 0), at(duration, way.to, 0),
    ]
  }

  private func percentage(_ time: Double) -> String { String(format: "%.2f%%", time / duration * 100) }
}
