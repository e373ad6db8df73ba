import Foundation

/// A grid of cells. Each cell has its own color and an alpha. The cells keep their alphas until the next reload.
struct CollectionView {
  /// How a view reloads.
  enum Way: CaseIterable {
    case mainQueue, endOfPass
  }

  /// What happened to a view.
  struct Tally {
    var requests = 0
    var reloads = 0
    var staleFrames = 0

    var summary: String { "\(counted(requests, "request")) → \(counted(reloads, "reload"))" }
  }

  static let columns = 8
  static let rows = 4
  static let count = columns * rows

  let way: Way
  /// The alphas of the cells since the last reload.
  private(set) var alphas: [Double]
  /// The number of the round that the alphas come from.
  private(set) var round: Int
  /// What happened since the last new alphas.
  private(set) var latest = Tally()
  /// What happened since the view was made.
  private(set) var total = Tally()
  /// Whether the latest frame showed other alphas than the newest ones.
  private(set) var isStale = false

  init(_ way: Way, alphas: [Double], round: Int) { (self.way, self.alphas, self.round) = (way, alphas, round) }

  mutating func request(_ count: Int) {
    latest = Tally(requests: count)
    total.requests += count
  }

  mutating func reload(_ alphas: [Double], round: Int) {
    (self.alphas, self.round) = (alphas, round)
    latest.reloads += 1
    total.reloads += 1
  }

  /// Compares what a frame shows with the newest alphas.
  mutating func appear(inFrameWith newest: [Double]) {
    isStale = alphas != newest
    guard isStale else { return }
    latest.staleFrames += 1
    total.staleFrames += 1
  }

  /// The color of a cell. The cells go once around the circle of hues.
  static func color(of cell: Int) -> Color {
    let hue = Double(cell) / Double(count) * 2 * .pi
    return Color(red: 0.55 + 0.45 * cos(hue), green: 0.55 + 0.45 * cos(hue - 2.1), blue: 0.55 + 0.45 * cos(hue + 2.1))
  }
}

extension CollectionView.Way {
  /// The call that reloads the view, for windows with room.
  func code(coalesces: Bool) -> [String] {
    switch self {
    case .mainQueue: ["DispatchQueue.main.async { reload() }"]
    case .endOfPass:
      [
        "RunLoop.current.perform { reload() }", "  .when(.currentLoopEnded)",
        coalesces ? "  .coalesced(by: view)" : "  // .coalesced(by: view)",
      ]
    }
  }

  /// The call in one short line.
  var title: String { self == .mainQueue ? "DispatchQueue.main.async" : ".when(.currentLoopEnded)" }

  /// The name of the way in the timeline.
  var name: String { self == .mainQueue ? "main.async" : "currentLoopEnded" }
}

/// A color. Its parts are between 0 and 1.
struct Color {
  let red, green, blue: Double

  /// This color with an opacity, on a dark background.
  func blended(_ alpha: Double) -> Color {
    let background = 0.09
    func blend(_ part: Double) -> Double { background + (part - background) * alpha }
    return Color(red: blend(red), green: blend(green), blue: blend(blue))
  }

  /// The parts as numbers from 0 to 255.
  var bytes: [Int] { [red, green, blue].map { Int(($0 * 255).rounded()) } }

  var hexadecimal: String { "#" + bytes.map { String(format: "%02x", $0) }.joined() }
}
