import Foundation

/// A grid of cells. The cells keep their alphas until the next reload.
struct CollectionView {
  /// How a view reloads.
  enum Way: CaseIterable {
    case mainQueue, endOfPass
  }

  let way: Way
  /// The alphas of the cells since the last reload.
  private(set) var alphas: [Double]
  /// The number of the round that the alphas come from.
  private(set) var round = 0
  var requests = 0
  private(set) var reloads = 0
  private(set) var staleFrames = 0
  /// Whether the latest frame showed other alphas than the newest ones.
  private(set) var isStale = false

  init(_ way: Way, alphas: [Double]) { (self.way, self.alphas) = (way, alphas) }

  mutating func reload(_ alphas: [Double], round: Int) {
    (self.alphas, self.round) = (alphas, round)
    reloads += 1
  }

  /// Compares what a frame shows with the newest alphas.
  mutating func appear(inFrameWith newest: [Double]) {
    isStale = alphas != newest
    if isStale { staleFrames += 1 }
  }

  var score: String {
    "\(way.title): \(counted(requests, "request")) → \(counted(reloads, "reload")), "
      + counted(staleFrames, "stale frame")
  }

  /// The view with its code and what happened to it.
  func panel(newest: Int) -> Panel {
    let shown = Cells.digits(of: round)
    return Panel(
      title: way.title, code: way.code, alphas: alphas, isLate: isStale,
      words: [
        isStale ? ("STALE FRAME: \(shown), not \(Cells.digits(of: newest))", .stale) : ("frame: \(shown)", .plain),
        ("\(counted(reloads, "reload")); \(staleFrames) × stale", staleFrames > 0 ? .stale : .task),
      ])
  }
}

extension CollectionView.Way {
  /// The call that reloads the view, for windows with room.
  var code: [String] {
    self == .mainQueue
      ? ["guard !isRequested else { return }", "isRequested = true", "DispatchQueue.main.async { reload() }"]
      : ["RunLoop.current.perform { reload() }", "  .when(.currentLoopEnded)", "  .coalesced(by: OwnerKey(view))"]
  }

  /// The call in one short line.
  var title: String { self == .mainQueue ? "a flag and main.async" : ".when(.currentLoopEnded)" }

  /// The name of the way in the list of passes.
  var name: String { self == .mainQueue ? "main.async" : "currentLoopEnded" }
}

/// The cells of a grid. They have one color, and their alphas draw a picture.
enum Cells {
  static let (columns, rows) = (8, 5)
  static let count = columns * rows

  /// The red, green and blue of a cell, from 0 to 255.
  static func color(alpha: Double) -> [Int] {
    [80, 200, 255].map { Int((24 + ($0 - 24) * alpha).rounded()) }  // on a dark background
  }

  private static let shapes = [
    "####.##.##.####", ".#.##..#..#.###", "###..#####..###", "###..####..####", "#.##.####..#..#",
    "####..###..####", "####..####.####", "###..#..#..#..#", "####.#####.####", "####.####..####",
  ]

  /// The two digits that a grid shows.
  static func digits(of number: Int) -> String { "\(number / 10 % 10)\(number % 10)" }

  /// Alphas that draw a number: high ones in its two digits, next to nothing around them.
  static func alphas(of number: Int) -> [Double] {
    let digits = [shapes[number / 10 % 10], shapes[number % 10]].map(Array.init)
    return (0..<count).map { cell in
      let (row, column) = cell.quotientAndRemainder(dividingBy: columns)
      let digit = column < 3 ? digits[0][3 * row + column] : column > 4 ? digits[1][3 * row + column - 5] : "."
      return .random(in: digit == "#" ? 0.9...1 : 0.02...0.08)
    }
  }

  /// Alphas that draw a spinner: a head with a tail, which goes round the edge.
  static func spinner(at turn: Int) -> [Double] {
    let edge =
      (0..<columns).map { $0 } + (1..<rows).map { ($0 + 1) * columns - 1 }
      + (count - columns..<count - 1).reversed() + (1..<rows - 1).reversed().map { $0 * columns }
    var alphas = Array(repeating: 0.05, count: count)
    for (age, alpha) in [1, 0.9, 0.65, 0.45, 0.25].enumerated() {
      alphas[edge[(turn + edge.count - age) % edge.count]] = alpha
    }
    return alphas
  }
}
