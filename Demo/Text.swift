import Foundation

/// How many colours the terminal has.
enum Palette {
  case full, few, none

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    let terminal = environment["TERM"] ?? ""
    if environment["NO_COLOR"]?.isEmpty == false || terminal.isEmpty || terminal == "dumb" {
      self = .none
    } else if ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") || terminal.hasSuffix("-direct") {
      self = .full
    } else {
      self = terminal.contains("256color") ? .few : .none
    }
  }

  /// Text of the given width, in the colour of a cell.
  func cell(_ colour: Colour, alpha: Double, width: Int) -> String {
    let parts = colour.blended(alpha).bytes
    switch self {
    case .full:
      return "\u{1B}[48;2;\(parts[0]);\(parts[1]);\(parts[2])m\(String(repeating: " ", count: width))\u{1B}[0m"
    case .few:
      let index = parts.reduce(0) { $0 * 6 + Self.level(nearest: $1) } + 16
      return "\u{1B}[48;5;\(index)m\(String(repeating: " ", count: width))\u{1B}[0m"
    case .none:
      let shades: [Character] = [" ", "░", "▒", "▓", "█"]
      return String(repeating: shades[min(Int(alpha * Double(shades.count)), shades.count - 1)], count: width)
    }
  }

  /// The levels that a part has in the cube of 6 x 6 x 6 colours, as xterm defines them.
  private static let levels = [0, 95, 135, 175, 215, 255]

  private static func level(nearest part: Int) -> Int {
    levels.indices.min { abs(levels[$0] - part) < abs(levels[$1] - part) } ?? 0
  }

  func bold(_ text: String) -> String { self == .none ? text : "\u{1B}[1m\(text)\u{1B}[0m" }
  func faint(_ text: String) -> String { self == .none ? text : "\u{1B}[2m\(text)\u{1B}[0m" }
  func task(_ text: String) -> String { self == .none ? text : "\u{1B}[1;32m\(text)\u{1B}[0m" }
}

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
