import Testing

@testable import RunLoopTasks

/// `Buffer` beside an array.
@Suite struct BufferTests {
  @Test func elementsLeaveInTheOrderInWhichTheyCame() {
    var (buffer, array, next) = (Buffer<Int>(), [Int](), 0)
    for step in 0..<2_000 {
      switch step * step % 7 {
      case 0, 1:
        for _ in 0...step % 5 {
          buffer.append(next)
          array.append(next)
          next += 1
        }
      case 2:
        #expect(buffer.popFirst() == array.first)
        array = Array(array.dropFirst())
      default:
        #expect(buffer.removeFirst(atMost: step % 4) == Array(array.prefix(step % 4)))
        array = Array(array.dropFirst(step % 4))
      }
      #expect(buffer.count == array.count && buffer.isEmpty == array.isEmpty)
    }
    #expect(buffer.removeFirst(atMost: .max) == array)
    #expect(buffer.popFirst() == nil)
  }

  @Test func whatLeavesIsReleased() {
    let released = Counter()
    var buffer = Buffer<Token>()
    for _ in 1...10 { buffer.append(Token { released.count() }) }
    for count in 1...5 {
      _ = buffer.popFirst()
      #expect(released.value == count)
    }
    _ = buffer.removeFirst(atMost: 2)
    #expect(released.value == 7)
    _ = buffer.removeFirst(atMost: .max)
    #expect(released.value == 10)
  }
}
