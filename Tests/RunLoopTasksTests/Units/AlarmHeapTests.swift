import Testing

@testable import RunLoopTasks

@Suite struct AlarmHeapTests {
  private var heap = AlarmHeap()

  @Test(arguments: 1...20)
  mutating func theHeapDoesWhatASortedArrayDoes(seed: UInt64) {
    var random = SplitMix(state: seed)
    var alarms: [(alarm: Alarm, date: Int64)] = []
    for _ in 0..<2_000 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        let date = Int64.random(in: 0..<100, using: &random)
        let alarm = heap.add(date, .memory("k"))
        // Behind those with the same date.
        alarms.insert((alarm, date), at: alarms.firstIndex { $0.date > date } ?? alarms.count)
      case 2:
        guard let index = alarms.indices.randomElement(using: &random) else { continue }
        heap.remove(alarms.remove(at: index).alarm)
      default:
        let date = Int64.random(in: 0..<60, using: &random)
        let expected = alarms.first { $0.date <= date }?.alarm
        #expect(heap.removeFirst(notAfter: date) === expected)
        if expected != nil { alarms.removeFirst() }
      }
      #expect(heap.earliest == alarms.first?.date)
    }
    for (alarm, _) in alarms { #expect(heap.removeFirst(notAfter: .max) === alarm) }
  }
}
