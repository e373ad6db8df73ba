import Foundation

/// The collection view: a grid of cells. Each cell has its own colour and an alpha.
struct CollectionView {
  let columns = 8
  let rows = 4
  private(set) var alphas: [Double]

  init() { alphas = Array(repeating: 0, count: columns * rows) }

  var count: Int { alphas.count }

  subscript(cell: Int) -> Double {
    get { alphas[cell] }
    set { alphas[cell] = newValue }
  }

  /// The colour of a cell. The cells go once around the circle of hues.
  func colour(of cell: Int) -> Colour {
    let hue = Double(cell) / Double(count) * 2 * .pi
    return Colour(red: 0.55 + 0.45 * cos(hue), green: 0.55 + 0.45 * cos(hue - 2.1), blue: 0.55 + 0.45 * cos(hue + 2.1))
  }

  /// The grid as text, with one line for each row.
  func lines(_ cell: (Int) -> String) -> [String] {
    (0..<rows).map { row in (0..<columns).map { cell(row * columns + $0) }.joined(separator: " ") }
  }
}

/// A colour. Its parts are between 0 and 1.
struct Colour {
  let red, green, blue: Double

  /// This colour with an opacity, on a dark background.
  func blended(_ alpha: Double) -> Colour {
    let background = 0.09
    func blend(_ part: Double) -> Double { background + (part - background) * alpha }
    return Colour(red: blend(red), green: blend(green), blue: blend(blue))
  }

  /// The parts as numbers from 0 to 255.
  var bytes: [Int] { [red, green, blue].map { Int(($0 * 255).rounded()) } }

  var hexadecimal: String { "#" + bytes.map { String(format: "%02x", $0) }.joined() }
}
