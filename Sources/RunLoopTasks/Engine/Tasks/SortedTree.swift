/// The place of a task in line: tasks with a lower order come first, and the older one comes first among equals.
/// No two tasks have the same position.
typealias Rank = (order: Int, position: UInt64)

/// Elements in the order of their ranks, in a balanced tree that also finds the first one before a position.
///
/// The tree is a treap: sorted by rank from left to right, and by a random priority, the hash of the position, from the
/// root down. Its depth is therefore logarithmic, in whatever order elements come and go. Each node also knows the least
/// position below it. The search thus never enters a subtree that has none.
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
    @exclusivity(unchecked) var left: Node? { didSet { update() } }
    @exclusivity(unchecked) var right: Node? { didSet { update() } }

    init(_ rank: Rank, _ element: Element) {
      (self.rank, self.element, priority) = (rank, element, rank.position.hashValue)
      leastPosition = rank.position
    }

    /// The elements of this node and those below it, in their order.
    var elements: [Element] { (left?.elements ?? []) + [element] + (right?.elements ?? []) }

    private func update() {
      leastPosition = min(rank.position, left?.leastPosition ?? .max, right?.leastPosition ?? .max)
    }
  }

  private var root: Node?

  var isEmpty: Bool { root == nil }

  /// The elements in their order.
  var elements: [Element] { root?.elements ?? [] }

  /// The first element of those whose position is below a limit.
  ///
  /// - Complexity: O(log *n*).
  func first(before limit: UInt64 = .max) -> (rank: Rank, element: Element)? {
    guard var tree = root, tree.leastPosition < limit else { return nil }
    while true {
      if let left = tree.left, left.leastPosition < limit {
        tree = left
      } else if tree.rank.position < limit {
        return (tree.rank, tree.element)
      } else {
        tree = tree.right!
      }
    }
  }

  /// - Complexity: O(log *n*).
  mutating func insert(_ element: Element, at rank: Rank) {
    Self.insert(Node(rank, element), into: &root)
  }

  /// Removes the element with a rank, which must be there.
  ///
  /// - Complexity: O(log *n*).
  mutating func remove(at rank: Rank) -> Element {
    Self.remove(rank, from: &root)
  }

  private static func insert(_ new: Node, into tree: inout Node?) {
    guard let root = tree, root.priority > new.priority else {
      (new.left, new.right) = split(tree, at: new.rank)
      tree = new
      return
    }
    if new.rank < root.rank { insert(new, into: &root.left) } else { insert(new, into: &root.right) }
  }

  private static func remove(_ rank: Rank, from tree: inout Node?) -> Element {
    let root = tree!
    if rank < root.rank { return remove(rank, from: &root.left) }
    if root.rank < rank { return remove(rank, from: &root.right) }
    tree = join(root.left, root.right)
    return root.element
  }

  /// Splits a tree into the nodes before a rank and those behind it.
  private static func split(_ tree: Node?, at rank: Rank) -> (Node?, Node?) {
    guard let tree else { return (nil, nil) }
    if tree.rank < rank {
      let (before, behind) = split(tree.right, at: rank)
      tree.right = before
      return (tree, behind)
    }
    let (before, behind) = split(tree.left, at: rank)
    tree.left = behind
    return (before, tree)
  }

  /// Joins two trees, the first of which is before the second.
  private static func join(_ one: Node?, _ other: Node?) -> Node? {
    guard let one, let other else { return one ?? other }
    if one.priority > other.priority {
      one.right = join(one.right, other)
      return one
    }
    other.left = join(one, other.left)
    return other
  }
}
