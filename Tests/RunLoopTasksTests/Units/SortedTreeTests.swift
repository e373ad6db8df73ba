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
    #expect((12..<4 * 12).contains(depth))
    for _ in 0..<count / 2 { _ = tree.first().map { tree.remove(at: $0.rank) } }
    #expect(tree.elements.count == count / 2 && depth < 4 * 11)
  }

  private mutating func insert(_ number: Int) { tree.insert(number, at: (number, UInt64(4_096 + number))) }

  private var depth: Int {
    func depth(_ node: Any?) -> Int {
      node.map { 1 + max(depth(child("left", of: $0)), depth(child("right", of: $0))) } ?? 0
    }
    return depth(child("root", of: tree))
  }

  /// A child of a tree or a node.
  private func child(_ name: String, of object: Any) -> Any? {
    let optional = Mirror(reflecting: object).children.first { $0.label == name }?.value
    return optional.flatMap { Mirror(reflecting: $0).children.first?.value }
  }
}
