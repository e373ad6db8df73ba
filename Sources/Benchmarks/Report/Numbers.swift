extension Collection<Double> {
  /// The middle of the sorted elements. There must be one.
  var median: Double {
    let sorted = sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

/// A number with its thousands set apart.
func grouped(_ number: Int) -> String {
  guard number >= 1000 else { return "\(number)" }
  let rest = String(number % 1000)
  return "\(grouped(number / 1000)),\(String(repeating: "0", count: 3 - rest.count))\(rest)"
}

/// A number with at most this many places behind the point.
func rounded(_ number: Double, places: Int) -> String {
  guard places > 0 else { return grouped(Int(number.rounded())) }
  let scale = places == 1 ? 10 : 100
  let digits = String(Int((number * Double(scale)).rounded()) % scale)
  let whole = Int((number * Double(scale)).rounded()) / scale
  return "\(grouped(whole)).\(String(repeating: "0", count: places - digits.count))\(digits)"
}
