import Foundation
import Testing

@testable import RunLoopTasks

/// Does the model notice what is wrong about time? Traces of real loops, doctored.
@Suite struct TimeCheckerTests {
  private static let ended = RunLoopTask.Timing.currentLoopEnded
  private static let blocking = Step.does(.run(.blocking, .default, keptAlive: false))

  private static func advance(_ duration: HalfHours) -> Step {
    .does(.run(.advance(duration), .default, keptAlive: false))
  }
  private static func perform(_ number: TaskNumber, _ wish: Wish) -> Step { .does(.perform(number, wish, .chain)) }

  // MARK: Sleeping until a timer fires

  @Test func aChainOfIdleTasksThatIsLetSleep() {
    let idle = Wish(timing: .idle)
    let chain = Script(.does(.perform(1, idle, .chain), .does(.perform(2, idle, .chain))), Self.blocking)
    #expect(chain.complaint { _ in } == nil)
    #expect(chain.complaint { $0.letTimePass(before: 0) } == .letTimePass(on: [2]))
    #expect(chain.complaint { $0.letTimePass(before: 1) } == nil)  // nothing is left then
  }

  @Test func anIdleTaskMaySleepWhereOthersRunInEachPass() {
    let (other, order) = (Wish(timing: Self.ended), 0)
    let third = Step.does(.observe(.beforeWaiting, .default, order: order), .does(.perform(3, other, .chain)))
    let second = Step.does(.observe(.beforeWaiting, .default, order: order), .does(.perform(2, other, .chain)), third)
    let first = Step.does(.observe(.beforeWaiting, .default, order: order), .does(.perform(1, other, .chain)), second)
    let script = Script(first, .does(.perform(4, Wish(timing: .idle), .chain)), Self.blocking)
    #expect(script.trace.tasksInOrder == [1, 2, 3, 4])
    #expect(script.complaint { $0.letTimePass(before: 0) } == .letTimePass(on: [4]))
    #expect(script.complaint { $0.letTimePass(before: 1) } == nil)
  }

  // MARK: Delays and advancing

  /// Three tasks: two that wait, the later one first, and one that does not.
  private static let delays = Script(
    perform(1, Wish(timing: ended, delay: 4)), perform(2, Wish(timing: ended, delay: 2)),
    perform(3, Wish(timing: ended)), advance(4))

  @Test func aTaskBeforeItsDelayHasEnded() {
    let script = Self.delays
    #expect(script.complaint { _ in } == nil)
    #expect(script.trace.tasksInOrder == [3, 2, 1])
    #expect(script.complaint { $0.moveTask(1, to: $0.start(of: 2)) } == .notDue(1, .beforeWaiting))
    #expect(script.complaint { $0.moveTask(2, to: $0.start(of: 1)) } == .missed(2, .beforeWaiting))
  }

  @Test func anAdvanceWithTheWrongPasses() {
    let passes = { (trace: [Event]) in
      (trace.indices.filter { trace[$0].isActivity(.entry, .begins) }, trace.firstIndex(where: \.isReturn)!)
    }
    let tooFew = Self.delays.complaint { trace in
      let (entries, end) = passes(trace)
      trace.removeSubrange(entries[2]..<end)
    }
    #expect(tooFew == .wrongAnswer("advance(by:) returned too early"))
    let tooMany = Self.delays.complaint { trace in
      let (entries, end) = passes(trace)
      trace.insert(contentsOf: trace[entries[2]..<end], at: end)
    }
    #expect(tooMany == .wrongAnswer("advance(by:) made a pass too many"))
    let answer = Self.delays.complaint { $0[$0.firstIndex(where: \.isReturn)!] = .runReturned(false) }
    #expect(answer == .wrongAnswer("advance(by:) returned false"))
  }

  @Test func aSleepOnTasksThatWaitIsNoSleepOnWork() {
    let script = Script(Self.perform(1, Wish(timing: Self.ended, delay: 2)), Self.blocking)
    #expect(script.complaint { $0.insert(.slept(.default), at: $0.wakings[0]) } == nil)
    let left = script.complaint { trace in
      trace.removeAll { if case .stopped = $0 { true } else { false } }
    }
    #expect(left == .leftBehind([1]))
  }

  // MARK: Limits

  @Test func anOverdueTaskThatWaitsForItsTiming() {
    let script = Script(Self.perform(1, Wish(timing: .idle, limit: 1)), Self.perform(2, Wish()), Self.advance(1))
    #expect(script.complaint { _ in } == nil)
    let late = Script(Self.perform(1, Wish(timing: .idle, modes: [.custom], limit: 1)), Self.advance(1), Self.custom)
    #expect(late.complaint { _ in } == nil)
    #expect(late.complaint { $0.removeTask(1) } == .missed(1, .entry))
  }

  private static let custom = Step.does(.run(.pass, .custom, keptAlive: false))

  // MARK: Keys

  @Test func aTaskBeforeTheIntervalOfItsKeyHasEnded() {
    let wish = Wish(timing: Self.ended, key: 1, interval: 2)
    let script = Script(Self.perform(1, wish), Self.blocking, Self.perform(2, wish), Self.advance(1), Self.advance(1))
    #expect(script.complaint { _ in } == nil)
    let early = script.complaint { trace in
      let turns = trace.indices.filter { trace[$0].isActivity(.beforeWaiting, .tasks) }
      trace.moveTask(2, to: turns[1] + 1)
    }
    #expect(early == .notDue(2, .beforeWaiting))
    #expect(script.complaint { $0.insert(contentsOf: run(2), at: $0.end(of: 1)) } == .ranAgain(2))
  }

  @Test func aTaskThatWasDebouncedAndRuns() {
    let wish = Wish(timing: Self.ended, key: 1, delay: 2)
    let script = Script(Self.perform(1, wish), Self.perform(2, wish), Self.advance(2))
    #expect(script.trace.tasksInOrder == [2])
    #expect(script.complaint { $0.insert(contentsOf: run(1), at: $0.start(of: 2)) } == .ranAgain(1))
  }

  @Test func aTaskThatRunsThoughItsKeyWasCancelled() {
    let script = Script(Self.perform(1, Wish(timing: Self.ended, key: 1)), Self.blocking)
    #expect(script.complaint { $0.insert(.cancelledKey(1, .own), at: $0.start(of: 1)) } == .ranAgain(1))
    #expect(script.complaint { $0.insert(.cancelledKey(2, .own), at: $0.start(of: 1)) } == nil)
  }

  // MARK: The rest

  @Test func aHigherOrderBeforeALowerOne() {
    let script = Script(
      Self.perform(1, Wish(timing: Self.ended, order: 1)), Self.perform(2, Wish(timing: Self.ended, order: -1)),
      Self.blocking)
    #expect(script.trace.tasksInOrder == [2, 1])
    #expect(script.complaint { $0.moveTask(1, to: $0.start(of: 2)) } == .outOfOrder(1, before: 2))
  }

  @Test func aRunUntilThatGivesUp() {
    let script = Script(Self.perform(1, Wish()), .does(.run(.until, .default, keptAlive: false)))
    #expect(script.complaint { _ in } == nil)
    let complaint = script.complaint { $0[$0.firstIndex(where: \.isReturn)!] = .runReturned(false) }
    #expect(complaint == .wrongAnswer("runUntil returned false"))
  }
}

extension [Event] {
  /// Where the loop wakes.
  fileprivate var wakings: [Int] { indices.filter { self[$0].isActivity(.afterWaiting, .begins) } }

  fileprivate mutating func letTimePass(before waking: Int) { insert(.letTimePass, at: wakings[waking]) }
}
