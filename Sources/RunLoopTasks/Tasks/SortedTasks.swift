/// Tasks sorted by their rank, in a balanced tree that also finds the first task that a batch may run.
///
/// The tree is a treap: sorted by rank from left to right, and by a random priority from the root down. Its depth is
/// therefore logarithmic, in whatever order tasks come and go. Each node also knows the least ready position below it.
/// The search for a batch's first task thus never enters a subtree that has none.
///
/// The nodes are in one array and refer to each other by index, because a task of several modes has several nodes.
struct SortedTasks {
  private struct Node {
    let task: TaskReference
    let rank: Rank
    let ready: UInt64
    let priority: UInt64
    /// The least `ready` of this node and those below it.
    var leastReady: UInt64
    /// For a free node, `left` is the next free one.
    var left = none
    var right = none
  }

  private static var none: Int { -1 }
  /// The largest capacity that an empty array keeps.
  private static var largestSpareCapacity: Int { 1_024 }

  private var nodes: ContiguousArray<Node> = []
  private var root = none
  private var firstFree = none
  private(set) var count = 0
  private var latestPriority: UInt64 = 0

  var isEmpty: Bool {
    @inline(__always) get { count == 0 }
  }

  /// The tasks in their order.
  var tasks: [RunLoopTask] {
    var tasks: [RunLoopTask] = []
    addTasks(of: root, to: &tasks)
    return tasks
  }

  private func addTasks(of tree: Int, to tasks: inout [RunLoopTask]) {
    guard tree != Self.none else { return }
    addTasks(of: nodes[tree].left, to: &tasks)
    tasks.append(nodes[tree].task.takeUnretainedValue())
    addTasks(of: nodes[tree].right, to: &tasks)
  }

  // MARK: In and out

  /// Puts a task into the place that its rank determines, and takes over the reference.
  ///
  /// - Complexity: O(log *n*).
  mutating func insert(_ task: TaskReference) {
    root = insert(makeNode(task), into: root)
    count += 1
  }

  /// Takes out the task with a rank, and hands over its reference.
  ///
  /// - Complexity: O(log *n*).
  mutating func remove(at rank: Rank) -> TaskReference {
    var removed = Self.none
    root = remove(rank, from: root, &removed)
    let task = nodes[removed].task
    (nodes[removed].left, firstFree) = (firstFree, removed)
    count -= 1
    if count == 0 || nodes.count > 4 * count + 64 { dropFreeNodes() }
    return task
  }

  /// The first task that a batch may run.
  ///
  /// - Complexity: O(log *n*).
  func first(inBatch batch: UInt64) -> TaskReference? {
    var tree = root
    guard leastReady(of: tree) < batch else { return nil }
    while true {
      if leastReady(of: nodes[tree].left) < batch {
        tree = nodes[tree].left
      } else if nodes[tree].ready < batch {
        return nodes[tree].task
      } else {
        tree = nodes[tree].right
      }
    }
  }

  // MARK: The tree

  // Each function returns the root of the tree that it has changed.

  private mutating func insert(_ new: Int, into tree: Int) -> Int {
    guard tree != Self.none, nodes[tree].priority > nodes[new].priority else {
      (nodes[new].left, nodes[new].right) = split(tree, at: nodes[new].rank)
      return update(new)
    }
    if nodes[new].rank < nodes[tree].rank {
      nodes[tree].left = insert(new, into: nodes[tree].left)
    } else {
      nodes[tree].right = insert(new, into: nodes[tree].right)
    }
    return update(tree)
  }

  private mutating func remove(_ rank: Rank, from tree: Int, _ removed: inout Int) -> Int {
    if nodes[tree].rank == rank {
      removed = tree
      return join(nodes[tree].left, nodes[tree].right)
    }
    if rank < nodes[tree].rank {
      nodes[tree].left = remove(rank, from: nodes[tree].left, &removed)
    } else {
      nodes[tree].right = remove(rank, from: nodes[tree].right, &removed)
    }
    return update(tree)
  }

  /// Splits a tree into the nodes before a rank and those behind it.
  private mutating func split(_ tree: Int, at rank: Rank) -> (Int, Int) {
    guard tree != Self.none else { return (Self.none, Self.none) }
    guard nodes[tree].rank < rank else {
      let (before, behind) = split(nodes[tree].left, at: rank)
      nodes[tree].left = behind
      return (before, update(tree))
    }
    let (before, behind) = split(nodes[tree].right, at: rank)
    nodes[tree].right = before
    return (update(tree), behind)
  }

  /// Joins two trees, the first of which is before the second.
  private mutating func join(_ one: Int, _ other: Int) -> Int {
    if one == Self.none { return other }
    if other == Self.none { return one }
    guard nodes[one].priority > nodes[other].priority else {
      nodes[other].left = join(one, nodes[other].left)
      return update(other)
    }
    nodes[one].right = join(nodes[one].right, other)
    return update(one)
  }

  private mutating func update(_ node: Int) -> Int {
    let below = min(leastReady(of: nodes[node].left), leastReady(of: nodes[node].right))
    nodes[node].leastReady = min(nodes[node].ready, below)
    return node
  }

  private func leastReady(of tree: Int) -> UInt64 { tree == Self.none ? .max : nodes[tree].leastReady }

  // MARK: Memory

  private mutating func makeNode(_ reference: TaskReference) -> Int {
    let node = reference.withUnretained { task in
      Node(
        task: reference, rank: task.rank, ready: task.readyPosition, priority: nextPriority(),
        leastReady: task.readyPosition)
    }
    guard firstFree != Self.none else {
      nodes.append(node)
      return nodes.count - 1
    }
    let index = firstFree
    firstFree = nodes[index].left
    nodes[index] = node
    return index
  }

  /// Knuth's generator. Its upper bits, which decide a comparison, are random enough.
  private mutating func nextPriority() -> UInt64 {
    latestPriority = latestPriority &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return latestPriority
  }

  private mutating func dropFreeNodes() {
    let left = tasks
    if nodes.capacity <= Self.largestSpareCapacity { nodes.removeLast(nodes.count) } else { nodes = [] }
    (root, firstFree, count) = (Self.none, Self.none, 0)
    for task in left { insert(.passUnretained(task)) }
  }
}
