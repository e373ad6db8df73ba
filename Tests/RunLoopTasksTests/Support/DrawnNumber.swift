/// How the demo draws the numbers of its first rounds without colors.
enum DrawnNumber {
  private static let shapes = [
    ["###", "# #", "# #", "# #", "###"],
    [" # ", "## ", " # ", " # ", "###"],
    ["###", "  #", "###", "#  ", "###"],
    ["###", "  #", "###", "  #", "###"],
  ]

  /// The lines of two grids, one beside the other: cells of this size.
  static func lines(_ left: Int, _ right: Int, cell: (width: Int, height: Int)) -> [String] {
    (0..<5).flatMap { row in
      let grids = [left, right].map { number in
        let cells = "\(shapes[0][row])  \(shapes[number][row])".map { $0 == "#" ? "█" : " " }
        return cells.map { String(repeating: $0, count: cell.width) }.joined()
      }
      return Array(repeating: grids.joined(separator: " "), count: cell.height)
    }
  }

  /// The lines of a screen that have parts of digits, without the frames.
  static func lines(in screen: [String]) -> [String] {
    screen.filter { $0.contains("█") }.map { line in
      line.split { "┃│".contains($0) }.filter { $0.count > 20 }.joined(separator: " ")
    }
  }
}
