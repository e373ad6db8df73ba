import Foundation
import RunLoopTasks

/// A span or a post as it was when a file was written.
struct TraceSpan {
  let content: TraceTree.Node.Content
  let depth: Int
  let start: Int64
  let end: Int64?
  let waited: Int64?
  let arrow: UInt64?

  /// The spans of a recording, each before those that are nested in it.
  static func all(of tree: TraceTree) -> [TraceSpan] {
    var spans: [TraceSpan] = []
    spans.reserveCapacity(tree.count)
    tree.path[0].forEachDescendant { node, depth in
      spans.append(
        TraceSpan(
          content: node.content, depth: depth, start: node.start, end: node.end, waited: node.waited, arrow: node.arrow)
      )
    }
    return spans
  }
}
