/// How the demo draws the numbers of its first rounds without colors.
enum DrawnNumber {
  private static let shapes = [
    ["###", "# #", "# #", "###"],
    [" # ", "## ", " # ", "###"],
    ["## ", "  #", " # ", "###"],
    ["###", " ##", "  #", "###"],
  ]

  /// The lines of two grids, one beside the other: cells of this size, and columns of this width for each grid.
  static func lines(_ left: Int, _ right: Int, cell: (width: Int, height: Int), column: Int) -> [String] {
    (0..<4).flatMap { row in
      let grids = [left, right].map { number in
        let cells = "\(shapes[0][row])  \(shapes[number][row])".map { $0 == "#" ? "█" : " " }
        let line = cells.map { String(repeating: $0, count: cell.width) }.joined(separator: " ")
        return " " + line + String(repeating: " ", count: column - 1 - line.count)
      }
      return Array(repeating: trimmed(grids.joined()), count: cell.height)
    }
  }

  /// The lines of a screen that have parts of digits, without the shades around them.
  static func lines(in screen: [String]) -> [String] {
    screen.filter { $0.contains("█") }.map { trimmed($0.replacing("░", with: " ")) }
  }

  private static func trimmed(_ line: String) -> String { line.replacing(#/ +$/#, with: "") }
}
