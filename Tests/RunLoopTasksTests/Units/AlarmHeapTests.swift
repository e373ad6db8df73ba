import Testing

@testable import RunLoopTasks

@Suite struct AlarmHeapTests {
  private var heap = AlarmHeap()

  @Test mutating func alarmsComeOutByDateAndThenInTheOrderInWhichTheyWereSet() {
    let tasks = (0..<5).map { _ in makeTask() }
    for (task, date) in zip(tasks, [30, 10, 20, 10, 30]) {
      _ = heap.add(Int64(date), date == 20 ? .interval(task) : .delay(task))
    }
    #expect(heap.earliest == 10)
    #expect(heap.waitingTasks.map(ObjectIdentifier.init) == [1, 3, 2, 0, 4].map { ObjectIdentifier(tasks[$0]) })
    var dates: [Int64] = []
    while let alarm = heap.removeFirst(notAfter: 20) { dates.append(alarm.date) }
    #expect(dates == [10, 10, 20] && heap.earliest == 30)
    #expect(heap.waitingTasks.map(ObjectIdentifier.init) == [0, 4].map { ObjectIdentifier(tasks[$0]) })
  }

  @Test mutating func onlyDelaysAreThoseOfWaitingTasks() {
    let task = makeTask()
    _ = heap.add(1, .limit(makeTask()))
    _ = heap.add(2, .delay(task))
    _ = heap.add(3, .memory("key"))
    #expect(heap.waitingTasks.map(ObjectIdentifier.init) == [ObjectIdentifier(task)])
  }

  @Test mutating func anEmptyHeapHasNoAlarm() {
    #expect(heap.earliest == nil)
    #expect(heap.removeFirst(notAfter: .max) == nil)
    heap.remove(heap.add(1, .memory("k")))
    #expect(heap.earliest == nil && heap.waitingTasks.isEmpty)
  }

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
