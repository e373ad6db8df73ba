import Foundation
import Testing

@testable import RunLoopTasks

/// Does the model notice what is broken? Traces of real loops, doctored.
@Suite struct CheckerTests {
  private static let ended = Wish(timing: .currentLoopEnded)
  private static let idle = Wish(timing: .idle)

  /// Two tasks at `beforeWaiting`, the first of which schedules another, one at `afterWaiting`, and an idle one.
  private static let script = Script(
    .does(.perform(1, ended, .chain), .does(.perform(5, ended, .chain))),
    .does(.perform(2, ended, .queue(.other))),
    .does(.perform(3, Wish(), .queue(.own))),
    .does(.perform(4, idle, .chain)),
    .does(.run(.blocking, .default, keptAlive: true)))

  private func complaint(_ script: Script = script, _ doctor: (inout [Event]) -> Void) -> Complaint? {
    script.complaint(doctor)
  }

  @Test func anHonestTraceIsAccepted() {
    #expect(complaint { _ in } == nil)
    #expect(Self.script.trace.tasksInOrder == [1, 2, 3, 5, 4])
  }

  // MARK: exactly once

  @Test(arguments: [1, 3, 4]) func aTaskThatRunsTwice(number: TaskNumber) {
    #expect(complaint { $0.insert(contentsOf: run(number), at: $0.end(of: number)) } == .ranAgain(number))
  }

  @Test func aTaskThatNeverRuns() {
    #expect(complaint { $0.removeTask(2) } == .missed(2, .beforeWaiting))
    #expect(complaint { $0.removeTask(3) } == .missed(3, .afterWaiting))
  }

  @Test func aTaskThatIsLeft() {
    let polled = Script(.does(.perform(1, Wish(), .chain)), .does(.run(.poll, .default, keptAlive: false)))
    let complaint = complaint(polled) { $0 = Array($0[...$0.firstIndex(where: \.isReturn)!]) + [.finished] }
    #expect(complaint == .neverRan([1]))
  }

  @Test func aTaskThatRunsThoughCancelled() {
    #expect(complaint { $0.insert(.cancelled(3, wasInTime: true), at: $0.start(of: 1)) } == .ranAgain(3))
  }

  @Test func aCancellationThatSaysTheWrongThing() {
    let event = Event.cancelled(1, wasInTime: true)
    #expect(complaint { $0.append(event) } == .wrongAnswer("task1.cancel() returned true"))
  }

  @Test func aTaskThatWasReplacedAndRuns() {
    #expect(
      complaint {
        $0.insert(.amended(1, .key(1, every: 0), .own), at: $0.start(of: 1))
        $0.insert(.amended(2, .key(1, every: 0), .own), at: $0.start(of: 1))
      } == .ranAgain(1))
  }

  // MARK: timing

  @Test func aTaskAtTheWrongActivity() {
    #expect(complaint { $0.moveTask(2, to: $0.start(of: 3)) } == .missed(2, .beforeWaiting))
    #expect(complaint { $0.moveTask(3, to: $0.start(of: 1)) } == .notDue(3, .beforeWaiting))
    #expect(complaint { $0.moveTask(4, to: $0.start(of: 1)) } == .notDue(4, .beforeWaiting))
  }

  @Test func aTaskBetweenActivities() {
    let called = { (trace: [Event]) in trace.firstIndex(where: \.isCall)! }
    #expect(complaint { $0.moveTask(1, to: called($0) + 1) } == .notDue(1, nil))
  }

  @Test func anIdleTaskInAPassWithOthers() {
    #expect(complaint { $0.moveTask(4, to: $0.end(of: 2)) } == .notDue(4, .beforeWaiting))
  }

  @Test func aTaskThatWasNotLeftBehindRunsAtEntry() {
    let polled = Script(.does(.perform(1, Wish(), .chain)), .does(.run(.poll, .default, keptAlive: false)))
    let complaint = complaint(polled) { trace in
      trace.insert(contentsOf: run(1), at: trace.firstIndex { $0.isActivity(.entry, .tasks) }! + 1)
    }
    #expect(complaint == .notDue(1, .entry))
  }

  @Test func aTaskThatWasLeftBehindMissesTheEntry() {
    let poll = Step.does(.run(.poll, .default, keptAlive: false))
    #expect(
      complaint(Script(.does(.perform(1, Wish(), .chain)), poll, poll)) { $0.removeTask(1) } == .missed(1, .entry))
  }

  // MARK: order and batches

  @Test func theWrongOrder() {
    #expect(complaint { $0.moveTask(2, to: $0.start(of: 1)) } == .outOfOrder(2, before: 1))
  }

  @Test func whatATaskSchedulesRunsInItsBatch() {
    #expect(complaint { $0.moveTask(5, to: $0.end(of: 2)) } == .notDue(5, .beforeWaiting))
  }

  @Test func moreThanTheBudget() {
    #expect(complaint { $0.insert(.setBudget(.oneTask), at: 0) } == .overBudget(2))
  }

  @Test func aBatchThatEndsTooEarly() {
    let early = Script(
      .does(.budget(.oneTask, .own)), .does(.perform(1, Self.ended, .chain)), .does(.perform(2, Self.ended, .chain)),
      .does(.run(.blocking, .default, keptAlive: false)))
    #expect(complaint(early) { _ in } == nil)
    #expect(complaint(early) { $0.insert(.setBudget(.huge), at: 1) } == .missed(2, .beforeWaiting))
  }

  // MARK: liveness

  @Test func aRunThatSleptOnWork() {
    let complaint = complaint { trace in
      trace.insert(.slept(.default), at: trace.firstIndex { $0.isActivity(.afterWaiting, .begins) }!)
    }
    #expect(complaint == .slept(on: [3, 4, 5]))
  }

  @Test func aRunThatDidNotReturn() {
    let complaint = complaint { trace in
      trace.insert(.slept(.default), at: trace.lastIndex { $0.isActivity(.afterWaiting, .begins) }!)
    }
    #expect(complaint == .didNotReturn(.default))
  }

  @Test func aRunThatReturnedTooEarly() {
    let complaint = complaint { trace in
      let exit = trace.firstIndex { $0.isActivity(.exit, .begins) }!
      trace.insert(trace[exit], at: trace.firstIndex { $0.isActivity(.afterWaiting, .begins) }!)
    }
    #expect(complaint == .leftBehind([3, 4, 5]))
    #expect(
      self.complaint { trace in
        trace.removeSubrange((trace.firstIndex(where: \.isCall)! + 1)..<trace.firstIndex(where: \.isReturn)!)
      } == .notEntered(.default))
  }

  // MARK: the rest

  @Test func aPassThatIsNoPass() {
    let pass = Script(.does(.run(.pass, .default, keptAlive: false)))
    #expect(complaint(pass) { _ in } == nil)
    let isWaiting = { (event: Event) in
      [Stage.begins, .tasks, .tasksOver, .ends].contains { event.isActivity(.afterWaiting, $0) }
    }
    #expect(complaint(pass) { $0.removeAll(where: isWaiting) } == .notOnePass([.entry, .beforeWaiting, .exit]))
    #expect(
      complaint(pass) { $0[$0.firstIndex(where: \.isReturn)!] = .runReturned(true) }
        == .wrongAnswer("runPass returned true"))
  }

  @Test func aStateOrACountThatIsWrong() {
    let states: [TaskNumber: RunLoopTask.State] = [1: .finished, 2: .finished, 3: .finished, 4: .pending, 5: .finished]
    #expect(complaint { $0.append(.looked(states, count: 0)) } == .wrongState(4, .pending, expected: .finished))
    let right = states.mapValues { _ in RunLoopTask.State.finished }
    #expect(complaint { $0.append(.looked(right, count: 1)) } == .wrongAnswer("queue.count is 1, not 0"))
  }

  @Test func aThreadThatLeaves() {
    let abandoned = Script(steps: [.does(.perform(1, Self.ended, .chain))], isRunToTheEnd: false)
    #expect(complaint(abandoned) { _ in } == nil)
    #expect(
      complaint(abandoned) { $0[$0.count - 1] = .threadEnded([1: .pending], closuresLeft: 1) }
        == .wrongState(1, .pending, expected: .cancelled))
    #expect(complaint(abandoned) { $0[$0.count - 1] = .threadEnded([1: .cancelled], closuresLeft: 1) } == .leaked(1))
  }

  // MARK: shrinking

  @Test func aFailureIsShrunkToWhatItTakes() {
    let script = Generator.script(seed: 1)
    let shortest = script.shrunk { "\($0)".contains("task1 =") }
    #expect(
      "\(shortest)" == "task1 = RunLoop.current.perform {}.when(.currentLoopEnded).forModes(.default)\nendThread()")
  }

  @Test func aSeedReplaysItsScript() {
    for seed in UInt64(1)...20 { #expect("\(Generator.script(seed: seed))" == "\(Generator.script(seed: seed))") }
    #expect("\(Generator.script(seed: 1))" != "\(Generator.script(seed: 2))")
  }
}
