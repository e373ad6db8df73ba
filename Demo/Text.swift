import Foundation

/// The colors of the terminal: 16 million, 256 or none.
enum Palette {
  case full, few, none

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    let terminal = environment["TERM"] ?? ""
    if environment["NO_COLOR"]?.isEmpty == false {
      self = .none
    } else if ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") || terminal.hasSuffix("-direct") {
      self = .full
    } else {
      self = terminal.contains("256color") ? .few : .none
    }
  }

  /// A text of this width in the color of a cell.
  func cell(_ color: Color, alpha: Double, width: Int) -> String {
    let parts = color.blended(alpha).bytes
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

  /// The levels of each part in xterm's cube of 6 x 6 x 6 colors.
  private static let levels = [0, 95, 135, 175, 215, 255]

  private static func level(nearest part: Int) -> Int {
    levels.indices.min { abs(levels[$0] - part) < abs(levels[$1] - part) } ?? 0
  }

  func bold(_ text: String) -> String { self == .none ? text : "\u{1B}[1m\(text)\u{1B}[0m" }
  func faint(_ text: String) -> String { self == .none ? text : "\u{1B}[2m\(text)\u{1B}[0m" }
  func stale(_ text: String) -> String { self == .none ? text : "\u{1B}[1;31m\(text)\u{1B}[0m" }
  func task(_ text: String) -> String { self == .none ? text : "\u{1B}[1;32m\(text)\u{1B}[0m" }
}

/// Fits text to the columns of a window.
extension String {
  /// The text, with "…" at the end if it is wider than `width` and has to be cut.
  func cut(to width: Int) -> String { count <= width ? self : width > 0 ? prefix(width - 1) + "…" : "" }

  /// The text, filled up with blanks to `width`.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }

  /// The text, with blanks before it up to `width`.
  func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(width - count, 0)) + self }
}

/// A number with its noun: "1 reload", "32 reloads".
func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
