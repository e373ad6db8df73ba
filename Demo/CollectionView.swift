import Foundation

/// The collection view: a grid of cells. Each cell has its own color and an alpha.
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

  /// The color of a cell. The cells go once around the circle of hues.
  func color(of cell: Int) -> Color {
    let hue = Double(cell) / Double(count) * 2 * .pi
    return Color(red: 0.55 + 0.45 * cos(hue), green: 0.55 + 0.45 * cos(hue - 2.1), blue: 0.55 + 0.45 * cos(hue + 2.1))
  }

  /// The grid as text, with one line for each row.
  func lines(_ cell: (Int) -> String) -> [String] {
    (0..<rows).map { row in (0..<columns).map { cell(row * columns + $0) }.joined(separator: " ") }
  }
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
