/// Elements that wait in line, first in, first out.
///
/// Each element is moved once from the array that is appended to, to the array that is removed from. An element is
/// therefore added and removed in constant time on average, however many others wait.
struct Buffer<Element> {
  /// The elements at the front of the line, in reverse order.
  private var front: [Element] = []
  private var back: [Element] = []

  var count: Int { front.count + back.count }
  var isEmpty: Bool { front.isEmpty && back.isEmpty }

  mutating func append(_ element: Element) { back.append(element) }

  mutating func popFirst() -> Element? {
    if front.isEmpty { (front, back) = (back.reversed(), []) }
    return front.popLast()
  }

  /// Removes the first elements, in order.
  mutating func removeFirst(atMost limit: Int) -> [Element] { (0..<min(limit, count)).map { _ in popFirst()! } }
}
