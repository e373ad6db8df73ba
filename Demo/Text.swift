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

  /// A cell of this width.
  func cell(alpha: Double, width: Int) -> String {
    let shade = min(Int(alpha * 5), 4)
    func filled(_ color: String) -> String { "\u{1B}[48;\(color)m\("".padded(to: width))\u{1B}[0m" }
    switch self {
    case .full: return filled("2;" + Cells.color(alpha: alpha).map(String.init).joined(separator: ";"))
    case .few: return filled("5;\([234, 24, 31, 74, 81][shade])")
    case .none: return String(repeating: [" ", "░", "▒", "▓", "█"][shade], count: width)
    }
  }

  func styled(_ text: String, _ style: Style) -> String {
    self == .none || style == .plain ? text : "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }
}

/// The styles of text, with their numbers for terminals.
enum Style: String {
  case plain = "0"
  case title = "1"
  case faint = "2"
  case task = "1;32"
  case stale = "1;31"
}

/// Fits text to the columns of a window.
extension String {
  /// The text, with "…" at the end if it is wider than `width` and has to be cut.
  func cut(to width: Int) -> String { count <= width ? self : width > 0 ? prefix(width - 1) + "…" : "" }

  /// The words of the text in lines of this width. A number stays with its noun, and only a word that is wider is cut.
  /// A space that is no-break becomes one that is not.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    for word in matches(of: #/[ ]*(?:\d+[ ])?[^ ]+/#).map({ String($0.0) }) {
      if let last = lines.last, last.count + word.count <= width {
        lines[lines.count - 1] += word
      } else {
        lines.append((lines.isEmpty ? word : String(word.drop { $0 == " " })).cut(to: width))
      }
    }
    return lines.map { $0.replacing("\u{A0}", with: " ") }
  }

  /// The text without the blanks at its end.
  var trimmed: String { replacing(#/[ ]+$/#, with: "") }

  /// The text, filled up with blanks to `width`.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
}

/// A number with its noun: "1 reload", "32 reloads".
func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
