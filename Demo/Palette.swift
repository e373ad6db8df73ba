import Foundation

/// A colour of the demo's cells.
struct Colour: Equatable {
  let red, green, blue: Double

  /// The colour of a cell: around the circle of hues.
  init(cell: Int, of count: Int) {
    let hue = Double(cell) / Double(count) * 2 * .pi
    (red, green, blue) = (0.55 + 0.45 * cos(hue), 0.55 + 0.45 * cos(hue - 2.1), 0.55 + 0.45 * cos(hue + 2.1))
  }

  private init(_ red: Double, _ green: Double, _ blue: Double) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// This colour with an opacity, on a dark ground.
  func blended(_ alpha: Double) -> Colour {
    let ground = 0.09
    func blend(_ part: Double) -> Double { ground + (part - ground) * alpha }
    return Colour(blend(red), blend(green), blend(blue))
  }

  var bytes: [Int] { [red, green, blue].map { Int(($0 * 255).rounded()) } }

  var hexadecimal: String { "#" + bytes.map { String(format: "%02x", $0) }.joined() }
}

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
    let blended = colour.blended(alpha).bytes
    switch self {
    case .full:
      return "\u{1B}[48;2;\(blended[0]);\(blended[1]);\(blended[2])m\(String(repeating: " ", count: width))\u{1B}[0m"
    case .few:
      // The cube of 6 × 6 × 6 colours.
      let index = blended.reduce(0) { $0 * 6 + Int((Double($1) / 51).rounded()) } + 16
      return "\u{1B}[48;5;\(index)m\(String(repeating: " ", count: width))\u{1B}[0m"
    case .none:
      let shades: [Character] = [" ", "░", "▒", "▓", "█"]
      return String(repeating: shades[min(Int(alpha * Double(shades.count)), shades.count - 1)], count: width)
    }
  }

  func bold(_ text: String) -> String { self == .none ? text : "\u{1B}[1m\(text)\u{1B}[0m" }
  func faint(_ text: String) -> String { self == .none ? text : "\u{1B}[2m\(text)\u{1B}[0m" }
  func task(_ text: String) -> String { self == .none ? text : "\u{1B}[1;32m\(text)\u{1B}[0m" }
}
