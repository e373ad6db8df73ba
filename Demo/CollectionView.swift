/// The collection view: a grid of cells, each with an alpha.
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

  /// The grid as text, a line a row.
  func lines(_ cell: (Double) -> String) -> [String] {
    (0..<rows).map { row in
      (0..<columns).map { column in cell(alphas[row * columns + column]) }.joined(separator: " ")
    }
  }
}
