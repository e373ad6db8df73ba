extension Array {
  /// The elements in the order of their ranks. The first number may be a date, which needs 64 bits everywhere.
  func inOrder(of rank: (Element) -> (Int64, UInt64)) -> [Element] { order(of: map(rank)).map { self[$0] } }
}

/// One sort for all types of elements, because a sort of the standard library is compiled anew for each.
@inline(never)
private func order(of ranks: [(Int64, UInt64)]) -> [Int] { ranks.indices.sorted { ranks[$0] < ranks[$1] } }
