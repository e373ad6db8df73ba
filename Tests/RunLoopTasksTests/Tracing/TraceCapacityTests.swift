import Foundation
import RunLoopTasks
import RunLoopTracing
import Testing

/// A recording keeps its capacity, and writes while it goes on.
@Suite(.onOwnLoop) struct TraceCapacityTests {
  private let loop = RunLoop.current

  @Test func theOldestPassesGoFirst() throws {
    let (trace, largeTrace) = (loop.trace(capacity: 200), loop.trace())
    for _ in 1...40 {
      loop.perform {}.when(.idle)
      loop.runPass()
    }
    let content = try TraceContent(trace)
    #expect(content.count <= 200)
    #expect(try TraceContent([largeTrace, trace]).fullRows == [2])
    // Each pass that is left is whole.
    let passes = content.spans(of: "pass")
    #expect(passes.count > 5 && passes.count < 40)
    for phase in ["entry", "exit"] {
      #expect(content.spans(of: "phase").count { $0.path.last == phase } == passes.count)
    }
    #expect(content.tasks().count == passes.count)
  }

  @Test func theOldestTasksOfALongPassGo() throws {
    let trace = loop.trace(capacity: 100)
    let ran = Counter()
    for _ in 1...1_000 { loop.perform { ran.count() }.when(.currentLoopEnded) }
    let inside = Box<TraceContent?>(nil)
    loop.perform { inside.value = try? TraceContent(trace) }.when(.currentLoopEnded)
    loop.runPass()
    let content = try #require(inside.value)
    #expect(content.count <= 100 && content.tasks().count > 40)
    #expect(content.tasks().allSatisfy { $0 == ["run in default mode", "pass", "beforeWaiting", "task"] })
    #expect(ran.value == 1_000)
    #expect(try TraceContent(trace).count <= 100)
  }

  @Test(arguments: [false, true]) func nestedPassesGoBeforeTheTasksOfThePassAround(isTaskFirst: Bool) throws {
    let trace = loop.trace(capacity: 100)
    let inside = Box<TraceContent?>(nil)
    loop.perform {}.when(.currentLoopEnded)
    loop.perform {
      if isTaskFirst {
        RunLoop.current.perform {}.when(.idle)
        RunLoop.current.runTasks(of: .idle)
      }
      for _ in 1...100 { RunLoop.current.runPass(mode: .custom) }
      inside.value = try? TraceContent(trace)
    }.when(.currentLoopEnded)
    loop.runPass()
    let content = try #require(inside.value)
    #expect(content.count <= 100 && content.tasks().count == 2)
    #expect(content.spans(of: "run").count > 2)
  }

  @Test func aTinyCapacityHoldsWhatIsOpen() throws {
    let trace = loop.trace(capacity: 1)
    loop.perform { RunLoop.current.runPass() }.when(.idle)
    for _ in 1...3 { loop.runPass() }
    #expect(try TraceContent(trace).count <= 1)
  }

  @Test func tasksThatNeverRunTakeNoMemoryBeyondTheCapacity() {
    let trace = loop.trace(capacity: 10)
    var tasks: [RunLoopTask] = []
    for _ in 1...100 { tasks.append(loop.perform {}.when(.idle)) }
    for task in tasks { task.cancel() }
    loop.perform {}.when(.idle)
    loop.runPass()
    withExtendedLifetime(trace) {}
  }

  @Test func itIsWrittenWhileAnotherThreadRecords() throws {
    let thread = RunLoopThread(name: "busy")
    let (made, mustEnd) = (Box<RunLoopTrace?>(nil), Box(false))
    thread.taskQueue.perform { made.value = RunLoop.current.trace(capacity: 1_000) }
    thread.taskQueue.perform { repeatUntil(mustEnd) }
    waitUntil { made.value != nil }
    for _ in 1...5 { #expect(try TraceContent(made.value!).count <= 1_000) }
    mustEnd.value = true
  }
}

/// Schedules itself again and again.
private func repeatUntil(_ mustEnd: Box<Bool>) {
  if !mustEnd.value { RunLoop.current.perform { repeatUntil(mustEnd) }.when(.nextLoopBegan) }
}
