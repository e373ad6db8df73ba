/// The place of a task in line: tasks with a lower order come first, and the older one comes first among equals.
/// No two tasks have the same position.
typealias Rank = (order: Int, position: UInt64)

/// Elements in the order of their ranks, in a balanced tree that also finds the first one before a position.
///
/// The tree is a treap: sorted by rank from left to right, and by a random priority, the hash of the position, from the
/// root down. Its depth is therefore logarithmic, in whatever order elements come and go. Each node also knows the
/// least position below it. The search thus never enters a subtree that has none.
///
/// A copy shares the nodes with the original, so neither may be changed then.
struct SortedTree<Element> {
  private final class Node {
    let rank: Rank
    let element: Element
    let priority: Int
    /// The least position of this node and those below it.
    private(set) var leastPosition: UInt64
    // Exclusivity is not checked at run time, because a change of a child goes on in the children of that child.
    @exclusivity(unchecked) var left = SortedTree() { didSet { update() } }
    @exclusivity(unchecked) var right = SortedTree() { didSet { update() } }

    init(_ rank: Rank, _ element: Element) {
      (self.rank, self.element, priority) = (rank, element, rank.position.hashValue)
      leastPosition = rank.position
    }

    private func update() { leastPosition = min(rank.position, left.leastPosition, right.leastPosition) }
  }

  private var root: Node?

  var isEmpty: Bool { root == nil }

  /// The elements in their order.
  var elements: [Element] { root.map { $0.left.elements + [$0.element] + $0.right.elements } ?? [] }

  private var leastPosition: UInt64 { root?.leastPosition ?? .max }

  /// The first element of those whose position is below a limit.
  ///
  /// - Complexity: O(log *n*).
  func first(before limit: UInt64) -> Element? {
    var tree = self
    while let root = tree.root, root.leastPosition < limit {
      let isInLeft = root.left.leastPosition < limit
      if !isInLeft, root.rank.position < limit { return root.element }
      tree = isInLeft ? root.left : root.right
    }
    return nil
  }

  /// - Complexity: O(log *n*).
  mutating func insert(_ element: Element, at rank: Rank) { insert(Node(rank, element)) }

  private mutating func insert(_ new: Node) {
    guard let root, root.priority > new.priority else {
      (new.left, new.right) = split(at: new.rank)
      root = new
      return
    }
    if new.rank < root.rank { root.left.insert(new) } else { root.right.insert(new) }
  }

  /// Removes the element with a rank, which must be there.
  ///
  /// - Complexity: O(log *n*).
  mutating func remove(at rank: Rank) -> Element {
    let root = root!
    if rank < root.rank { return root.left.remove(at: rank) }
    if root.rank < rank { return root.right.remove(at: rank) }
    self = root.left.joined(with: root.right)
    return root.element
  }

  /// Splits the tree into the nodes before a rank and those behind it.
  private func split(at rank: Rank) -> (SortedTree, SortedTree) {
    guard let root else { return (self, self) }
    if root.rank < rank {
      let (before, behind) = root.right.split(at: rank)
      root.right = before
      return (self, behind)
    }
    let (before, behind) = root.left.split(at: rank)
    root.left = behind
    return (before, self)
  }

  /// Joins the tree with one that is behind it.
  private func joined(with other: SortedTree) -> SortedTree {
    guard let root, let otherRoot = other.root else { return isEmpty ? other : self }
    if root.priority > otherRoot.priority {
      root.right = root.right.joined(with: other)
      return self
    }
    otherRoot.left = joined(with: otherRoot.left)
    return other
  }
}
