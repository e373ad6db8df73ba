import Foundation
import RunLoopTasks

/// What a recording keeps: the spans as a tree, and not more than its capacity.
struct TraceTree: SpanSink {
  /// A span, or a post.
  final class Node {
    enum Content {
      case span(Span)
      /// A task was posted to another loop.
      case post(arrow: UInt64)
    }

    let content: Content
    let start: Int64
    /// `nil` as long as it lasts.
    var end: Int64?
    /// How many nanoseconds a task has waited, if that is known.
    var waited: Int64?
    /// The post that a task came by.
    var arrow: UInt64?
    var signpost: Signpost?
    var children = Line()
    /// There was a run among the children.
    var hasRuns = false

    init(_ content: Content, at start: Int64) { (self.content, self.start) = (content, start) }

    deinit {
      // Spans may nest deeper than the stack of a thread allows, which Swift would take for each.
      var nodes = children.takeAll()
      while var node = nodes.popLast() {
        if isKnownUniquelyReferenced(&node) { nodes += node.children.takeAll() }
      }
    }

    /// Calls `body` with each node below this one, in the order of time, and its depth.
    func forEachDescendant(_ body: (Node, Int) -> Void) {
      var nodes = children.all.reversed().map { (node: $0, depth: 0) }
      while let (node, depth) = nodes.popLast() {
        body(node, depth)
        nodes += node.children.all.reversed().map { ($0, depth + 1) }
      }
    }

    /// The node is a container of passes, which go one by one: a run. (The root has no content that counts.)
    var isRun: Bool { if case .span(.run) = content { true } else { false } }
    var isPhase: Bool { if case .span(.phase) = content { true } else { false } }
  }

  /// Nodes that come at one end and go at the other.
  struct Line {
    private var nodes: ContiguousArray<Node?> = []
    private var start = 0

    var first: Node? { start < nodes.count ? nodes[start] : nil }
    var all: [Node] { nodes[start...].compactMap(\.self) }

    mutating func append(_ node: Node) { nodes.append(node) }

    mutating func takeAll() -> [Node] {
      defer { self = Line() }
      return all
    }

    mutating func removeFirst() {
      nodes[start] = nil
      start += 1
      guard start > 32, start * 2 > nodes.count else { return }
      nodes.removeFirst(start)
      start = 0
    }
  }

  private let capacity: Int
  /// The root, which holds runs and what happens outside runs, and what is open, the innermost last.
  private(set) var path = [Node(.span(.pass), at: 0)]
  /// How many events of a file the nodes are: a beginning and an end for each span, one for a post.
  private(set) var count = 0
  /// The capacity was reached, and something has gone.
  private(set) var wasFull = false

  init(capacity: Int) { self.capacity = capacity }

  mutating func begins(_ span: Span, at time: Int64) {
    let node = Node(.span(span), at: time)
    node.signpost = Signpost(span)
    path[path.count - 1].children.append(node)
    if node.isRun { path[path.count - 1].hasRuns = true }
    path.append(node)
    count += 2
    makeRoom()
  }

  mutating func ends(_: Span, at time: Int64) {
    let node = path.removeLast()
    node.end = time
    node.signpost?.end()
    node.signpost = nil
    makeRoom()  // what was under way until now may go
  }

  mutating func post(arrow: UInt64, at time: Int64) {
    let node = Node(.post(arrow: arrow), at: time)
    node.end = time
    path[path.count - 1].children.append(node)
    count += 1
    makeRoom()
  }

  // MARK: Capacity

  /// Removes the oldest finished passes, then the oldest works of what is under way.
  private mutating func makeRoom() {
    while count > capacity, removeOldestPass() || removeOldestWork() {}
  }

  private mutating func removeOldestPass() -> Bool {
    path.indices.contains { index in
      let node = path[index]
      let mayHavePasses = index == 0 || node.isRun || node.hasRuns
      return mayHavePasses && removeFirstChild(of: node, whole: \.isRun)
    }
  }

  private mutating func removeOldestWork() -> Bool {
    path.contains { removeFirstChild(of: $0, whole: \.isPhase) }
  }

  /// Removes the first child of a node if it has ended. Of a `container` it removes the first child, and the container
  /// only once that has none.
  private mutating func removeFirstChild(of node: Node, whole isContainer: (Node) -> Bool) -> Bool {
    guard let child = node.children.first, child.end != nil else { return false }
    if isContainer(child), removeFirstChild(of: child, whole: isContainer) { return true }
    node.children.removeFirst()
    count -= size(of: child)
    wasFull = true
    return true
  }

  private func size(of node: Node) -> Int {
    func own(_ node: Node) -> Int { if case .post = node.content { 1 } else { 2 } }
    var size = own(node)
    node.forEachDescendant { node, _ in size += own(node) }
    return size
  }
}
