/// Text fitted to the columns of a window.
extension String {
  /// The text, its end replaced by "…" if it is wider than that.
  func cut(to width: Int) -> String { count <= width ? self : width > 0 ? prefix(width - 1) + "…" : "" }

  /// The text with blanks behind it, up to that width.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }

  /// The text in lines, broken between words. Only a word that is wider than a line is cut.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    for word in split(separator: " ") {
      if let line = lines.last, line.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines.map { $0.cut(to: width) }
  }
}

/// A number with its noun: "1 reload", "32 reloads".
func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
