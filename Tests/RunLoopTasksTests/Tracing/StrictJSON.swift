/// A reader of JSON that accepts nothing but what RFC 8259 allows. Numbers are of type `Double`.
struct StrictJSON {
  /// What is wrong, and where.
  struct Mistake: Error {
    let offset: Int
  }

  private let text: [Unicode.Scalar]
  private var place = 0

  static func value(of text: String) throws(Mistake) -> Any? {
    var reader = StrictJSON(text: Array(text.unicodeScalars))
    let value = try reader.readValue()
    guard reader.place == reader.text.count else { throw reader.mistake }
    return value
  }

  private init(text: [Unicode.Scalar]) { self.text = text }

  private var mistake: Mistake { Mistake(offset: place) }
  private var next: Unicode.Scalar? { place < text.count ? text[place] : nil }

  private mutating func skipSpace() { while let next, " \n\r\t".unicodeScalars.contains(next) { place += 1 } }

  private mutating func take() throws(Mistake) -> Unicode.Scalar {
    guard let next else { throw mistake }
    place += 1
    return next
  }

  private mutating func take(_ expected: String) throws(Mistake) {
    for scalar in expected.unicodeScalars where try take() != scalar { throw mistake }
  }

  private mutating func readValue() throws(Mistake) -> Any? {
    skipSpace()
    defer { skipSpace() }
    switch next {
    case "{":
      var object: [String: Any] = [:]
      try readList("{", "}") { reader throws(Mistake) in
        reader.skipSpace()
        let name = try reader.readString()
        reader.skipSpace()
        try reader.take(":")
        object[name] = try reader.readValue()
      }
      return object
    case "[":
      var array: [Any?] = []
      try readList("[", "]") { reader throws(Mistake) in array.append(try reader.readValue()) }
      return array
    case "\"": return try readString()
    case "t": try take("true")
    case "f": try take("false")
    case "n": try take("null")
    default: return try readNumber()
    }
    return nil
  }

  private mutating func readList(
    _ start: String, _ end: Unicode.Scalar, _ element: (inout StrictJSON) throws(Mistake) -> Void
  ) throws(Mistake) {
    try take(start)
    skipSpace()
    if next == end { return place += 1 }
    while true {
      try element(&self)
      let separator = try take()
      if separator == end { return }
      guard separator == "," else { throw mistake }
    }
  }

  private mutating func readString() throws(Mistake) -> String {
    var units: [UInt16] = []
    try take("\"")
    while true {
      let scalar = try take()
      switch scalar {
      case "\"": return String(decoding: units, as: UTF16.self)
      case "\\": units.append(try readEscape())
      case ..<" ": throw mistake  // control characters must be escaped
      default: units += Array(String(Character(scalar)).utf16)
      }
    }
  }

  private mutating func readEscape() throws(Mistake) -> UInt16 {
    switch try take() {
    case "\"": return 0x22
    case "\\": return 0x5C
    case "/": return 0x2F
    case "b": return 0x08
    case "f": return 0x0C
    case "n": return 0x0A
    case "r": return 0x0D
    case "t": return 0x09
    case "u":
      var digits = ""
      for _ in 1...4 { digits.unicodeScalars.append(try take()) }
      guard let unit = UInt16(digits, radix: 16) else { throw mistake }
      return unit
    default: throw mistake
    }
  }

  private mutating func readNumber() throws(Mistake) -> Double {
    let start = place
    while let next, "+-.eE0123456789".unicodeScalars.contains(next) { place += 1 }
    var number = ""
    number.unicodeScalars += text[start..<place]
    let digits = number.drop { $0 == "-" }
    guard let value = Double(number), digits.first?.isNumber == true,
      !digits.hasPrefix("0") || !(digits.dropFirst().first?.isNumber ?? false)
    else { throw mistake }
    return value
  }
}
