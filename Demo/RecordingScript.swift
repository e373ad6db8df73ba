import Foundation

/// The animations of a recording.
///
/// The events of a round come in their real order, in slow motion.
struct RecordingScript {
  private static let travelTime = 0.8
  private static let pause = 0.4
  /// The time for which a round stays after its end.
  private static let rest = 1.2

  /// The moments of a round, in seconds since the beginning of the picture.
  private struct Moments {
    var begin: Double
    /// The beginning of each event.
    var events: [Double] = []
    var reload = 0.0
  }

  private let rounds: [Round]
  private var moments: [Moments] = []
  private var duration = 0.0

  init(rounds: [Round]) {
    self.rounds = rounds
    for round in rounds {
      var own = Moments(begin: duration)
      for event in round.events {
        own.events.append(duration)
        own.reload = duration
        duration += Self.pause + (event.receiver == nil ? 0 : Self.travelTime)
      }
      duration += Self.rest
      moments.append(own)
    }
  }

  /// The animations.
  ///
  /// - Parameters:
  ///   - alphas: the alphas at each round's reload.
  ///   - travel: the distance that a message moves.
  func styles(alphas: [[Double]], travel: Int) -> String {
    let time = String(format: "%.2f", duration)
    return """
      rect, g { animation: \(time)s infinite step-end }
      .message { animation-timing-function: ease-in-out }
      @media (prefers-reduced-motion: reduce) { rect, g { animation: none !important } }
      \(cells(alphas))
      \(rounds.indices.map { round($0, travel) }.joined(separator: "\n"))
      """
  }

  /// The cells change at each reload. The last alphas stay until the first reload of the next repetition.
  private func cells(_ alphas: [[Double]]) -> String {
    (alphas.first ?? []).indices.map { cell in
      let steps = [(0, alphas[alphas.count - 1])] + zip(moments.map(\.reload), alphas)
      let rules = steps.map { "\(percentage($0)) { opacity: \(String(format: "%.2f", $1[cell])) }" }
      return animation(of: "c\(cell)", rules)
    }.joined(separator: "\n")
  }

  private func round(_ index: Int, _ travel: Int) -> String {
    let (own, isLast) = (moments[index], index == moments.count - 1)
    let next = isLast ? nil : moments[index + 1]
    var styles = [
      animation(of: "q\(index)", visible(from: own.begin, to: next?.begin)),
      animation(of: "r\(index)", isLast ? visibleAround(own.reload) : visible(from: own.reload, to: next?.reload)),
    ]
    for (number, event) in rounds[index].events.enumerated() {
      let (id, start) = ("e\(index)-\(number)", own.events[number])
      let rules =
        event.receiver == nil
        ? visible(from: start, to: next?.begin) : moves(at: start, event.isAnswer ? (travel, 0) : (0, travel))
      styles.append(animation(of: id, rules))
    }
    return styles.joined(separator: "\n")
  }

  // MARK: Key frames

  private func animation(of id: String, _ rules: [String]) -> String {
    "#\(id) { animation-name: \(id) } @keyframes \(id) { \(rules.joined(separator: " ")) }"
  }

  private func visible(from start: Double, to end: Double?) -> [String] {
    (start > 0 ? ["0% { visibility: hidden }"] : []) + ["\(percentage(start)) { visibility: visible }"]
      + (end.map { ["\(percentage($0)) { visibility: hidden }"] } ?? [])
  }

  /// The last result stays until the first result of the next repetition.
  private func visibleAround(_ start: Double) -> [String] {
    ["0% { visibility: visible }", "\(percentage(moments[0].reload)) { visibility: hidden }"]
      + ["\(percentage(start)) { visibility: visible }"]
  }

  /// Moves from one place to the other, and is invisible before and after.
  private func moves(at start: Double, _ way: (from: Int, to: Int)) -> [String] {
    let end = start + Self.travelTime
    func at(_ time: Double, _ x: Int, _ opacity: Int) -> String {
      "\(percentage(time)) { transform: translateX(\(x)px); opacity: \(opacity) }"
    }
    let instant = duration / 10_000
    return [
      at(0, way.from, start == 0 ? 1 : 0), at(start, way.from, start == 0 ? 1 : 0),
      at(start + instant, way.from, 1), at(end, way.to, 1), at(end + instant, way.to, 0), at(duration, way.to, 0),
    ]
  }

  private func percentage(_ time: Double) -> String { String(format: "%.2f%%", time / duration * 100) }
}
