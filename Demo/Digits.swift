/// Alphas that draw a number, so that a grid shows from which round its alphas are.
enum Digits {
  private static let shapes = [
    ["###", "# #", "# #", "###"],
    [" # ", "## ", " # ", "###"],
    ["## ", "  #", " # ", "###"],
    ["###", " ##", "  #", "###"],
    ["# #", "# #", "###", "  #"],
    ["###", "## ", "  #", "## "],
    ["#  ", "###", "# #", "###"],
    ["###", "  #", " # ", " # "],
    ["###", "###", "# #", "###"],
    ["###", "# #", "###", "  #"],
  ]

  /// The two digits that the grid shows.
  static func text(_ number: Int) -> String { "\(number / 10 % 10)\(number % 10)" }

  /// An alpha for each of the 8 x 4 cells: high ones in the two digits, low ones around them.
  static func alphas(of number: Int) -> [Double] {
    let (tens, ones) = (shapes[number / 10 % 10], shapes[number % 10])
    let lines = zip(tens, ones).map { "\($0)  \($1)" }
    return lines.joined().map { .random(in: $0 == "#" ? 0.85...1 : 0...0.2) }
  }
}
