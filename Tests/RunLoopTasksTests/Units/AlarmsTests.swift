import Randomness
import Testing

@testable import RunLoopTasks

/// Random alarms that come, go and fire, compared with a list that is sorted anew.
@Suite(.onOwnLoop) struct AlarmsTests {
  private final class Event: AlarmEvent {
    let (date, number): (Int64, Int)
    private(set) var index = -1

    init(_ date: Int64, _ number: Int) { (self.date, self.number) = (date, number) }

    func alarmHasMoved(to index: Int) { self.index = index }
  }

  @Test func theEarliestComesFirstAndAmongEqualDatesTheOldest() {
    var (alarms, expected, random) = (Alarms<Event>(), [Event](), SplitMix(state: 1))
    for number in 1...4_000 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where !expected.isEmpty:
        let event = expected.remove(at: .random(in: 0..<expected.count, using: &random))
        #expect(alarms.remove(at: event.index) === event)
      case 1:
        let date = Int64.random(in: 0..<40, using: &random)
        let first = expected.first.flatMap { $0.date <= date ? $0 : nil }
        #expect(alarms.removeFirst(notAfter: date) === first)
        if first != nil { expected.removeFirst() }
      default:
        let event = Event(.random(in: 0..<100, using: &random), number)
        alarms.add(event.date, event)
        expected.append(event)
        expected.sort { ($0.date, $0.number) < ($1.date, $1.number) }
      }
      #expect(alarms.earliest == expected.first?.date)
    }
    #expect(expected.count > 100 && alarms.all.map(\.number) == expected.map(\.number))
  }
}
