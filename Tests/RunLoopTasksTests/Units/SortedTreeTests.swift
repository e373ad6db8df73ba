import Testing

@testable import RunLoopTasks

/// The time that `SortedTree` takes. The suites of orders and keys ask what it does.
@Suite(.onOwnLoop) struct SortedTreeTests {
  private var tree = SortedTree<Int>()

  enum Way: CaseIterable { case rising, falling, scattered, fromBothEnds }

  /// All operations take as many steps as the tree is deep.
  @Test(arguments: Way.allCases) mutating func theTreeIsShallowInWhateverOrderElementsCome(way: Way) {
    let count = 4_096
    for number in 0..<count {
      switch way {
      case .rising: insert(number)
      case .falling: insert(-number)
      case .scattered: insert(number * 1_237 % count)
      case .fromBothEnds: insert(number.isMultiple(of: 2) ? number : -number)
      }
    }
    #expect((12..<4 * 12).contains(depth(of: tree)))
    for _ in 0..<count / 2 { _ = tree.first(before: .max).map { tree.remove(at: rank(of: $0)) } }
    #expect(tree.elements.count == count / 2 && depth(of: tree) < 4 * 11)
  }

  private mutating func insert(_ number: Int) { tree.insert(number, at: rank(of: number)) }

  private func rank(of number: Int) -> Rank { (number, UInt64(4_096 + number)) }

  private func depth(of tree: Any) -> Int {
    let root = Mirror(reflecting: tree).children.first!.value
    guard let node = Mirror(reflecting: root).children.first?.value else { return 0 }
    return 1 + Mirror(reflecting: node).children.filter { ["left", "right"].contains($0.label) }
      .map { depth(of: $0.value) }.max()!
  }
}
