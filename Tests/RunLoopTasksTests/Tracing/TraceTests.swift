import Foundation
import RunLoopTracing
import RunLoopVirtualTime
import Testing

@testable import RunLoopTasks

/// A recording has what the loop has done, properly nested.
@Suite(.onOwnLoop) struct TraceTests {
  private let loop = RunLoop.current

  @Test func aTaskLiesInItsPhaseUnderItsFileAndLine() throws {
    let trace = loop.trace(name: "mine")
    let line = #line + 1
    loop.perform {}.when(.idle)
    loop.runPass()
    let content = try TraceContent(trace)
    #expect(content.names == [1: "mine"])
    #expect(content.tasks() == [["run in default mode", "pass", "beforeWaiting", "task"]])
    let task = try #require(content.spans(of: "idle").first)
    #expect(task.path.last == "\(#fileID):\(line)")
    #expect(task.arguments["waited_us"] as? Double ?? -1 >= 0)
  }

  @Test func aPassThatSleepsEndsThere() throws {
    let trace = loop.trace()
    stopClock()  // The delay ends during the sleep, however slow the machine is.
    observe(.beforeWaiting, order: Order.last) { _ in letClockRun() }
    loop.perform {}.when(.nextLoopBegan).after(.milliseconds(1))
    loop.runUntilTasksFinish()
    let content = try TraceContent(trace)
    #expect(content.spans(of: "sleep").allSatisfy { $0.path == ["run in default mode", "sleep"] })
    #expect(!content.spans(of: "sleep").isEmpty)
    #expect(Set(content.spans(of: "phase").map(\.path[1])) == ["pass"])
  }

  @Test func aDrivenPassIsOnePassWithoutSleep() throws {
    let trace = loop.trace()
    for _ in 1...3 { loop.runPass() }
    let content = try TraceContent(trace)
    #expect(content.spans(of: "pass").count == 3 && content.spans(of: "sleep").isEmpty)
    #expect(
      Set(content.spans(of: "phase").map { $0.path.last! }) == [
        "entry", "timers", "sources", "beforeWaiting", "afterWaiting", "exit",
      ])
  }

  @Test func aDrivenPassInAModeOfOtherCodeHasNoSleep() throws {
    addTimer(in: .custom)  // the package first hears of the mode at the entry of the pass
    let trace = loop.trace()
    loop.runPass(mode: .custom)
    let content = try TraceContent(trace)
    #expect(content.spans(of: "pass").count == 1 && content.spans(of: "sleep").isEmpty)
  }

  @Test func aNestedRunLiesInTheTaskThatRunsIt() throws {
    let trace = loop.trace()
    loop.perform {
      RunLoop.current.perform {}.when(.currentLoopEnded).forModes(.custom)
      RunLoop.current.runPass(mode: .custom)
    }.when(.currentLoopEnded)
    loop.runPass()
    let outer = ["run in default mode", "pass", "beforeWaiting", "task"]
    let nested = outer + ["run in \(RunLoop.Mode.custom.rawValue) mode", "pass", "beforeWaiting", "task"]
    #expect(try TraceContent(trace).tasks() == [outer, nested])
  }

  @Test func runsOfOtherCodeInAnyModeAreSeen() throws {
    let trace = loop.trace()
    addTimer(in: .custom)  // the package never hears of the mode
    loop.runPass()
    _ = loop.run(mode: .custom, before: .distantFuture)
    #expect(
      try TraceContent(trace).spans(of: "run").map(\.path) == [
        ["run in default mode"], ["run in \(RunLoop.Mode.custom.rawValue) mode"],
      ])
  }

  @Test func aRecordingBeginsAndEndsAnywhere() throws {
    let traces = Box<[RunLoopTrace]>([])
    for timing in RunLoopTask.Timing.allCases {
      loop.perform {
        traces.add([RunLoop.current.trace(name: "begun in a task")])
        RunLoop.current.perform {}.when(.currentLoopEnded)
        RunLoop.current.perform { RunLoop.current.runPass() }.when(timing)
        RunLoop.current.runPass()
      }.when(timing)
    }
    let whole = loop.trace()
    loop.perform { whole.stop() }.when(.idle).order(1)
    for _ in 1...3 { loop.runPass() }
    #expect(traces.value.count == 3)
    for trace in traces.value + [whole] {
      let content = try TraceContent(trace)
      #expect(!content.tasks().isEmpty && content.tasks().allSatisfy { $0.first == "run in default mode" })
    }
    // What is stopped in a task ends there, and nothing follows.
    let count = try TraceContent(whole).count
    loop.perform {}.when(.idle)
    loop.runPass()
    let later = try TraceContent(whole).count
    #expect(later == count)
  }

  @Test func aTaskThatIsCutOffByAnExitIsNoParent() throws {
    // A recording that begins at the exit of a run is not told of that exit.
    let trace = Box<RunLoopTrace?>(nil)
    loop.perform {}.when(.currentLoopEnded)
    loop.perform { trace.value = RunLoop.current.trace() }.when(.idle)
    loop.runPass()
    loop.perform {}.when(.idle)
    loop.runPass()
    #expect(try TraceContent(trace.value!).tasks() == [["run in default mode", "pass", "beforeWaiting", "task"]])
  }

  @Test func batchesHaveTheirNumberOfCommands() throws {
    let trace = loop.trace()
    let source = RunLoopSource<Int> { _ in }
    loop.add(source, forMode: .default)
    for command in 1...3 { source.send(command) }
    loop.runPass()
    let batch = try #require(TraceContent(trace).spans(of: "source").first)
    #expect(batch.path == ["run in default mode", "pass", "sources", "RunLoopSource<Int>"])
    #expect(batch.arguments["commands"] as? Double == 3)
  }

  @Test func jobsAreSeen() async throws {
    let thread = RunLoopThread(name: "tracing")
    let trace = try await thread.taskQueue.run { RunLoop.current.trace() }
    await Task(executorPreference: thread) {}.value
    let content = try TraceContent(trace)
    #expect(content.names[1] == "tracing")
    #expect(content.spans(of: "job").contains { $0.path.dropLast().last == "RunLoopSource<Job>" })
  }

  @Test func anArrowLeadsFromLoopToLoop() throws {
    let trace = loop.trace(name: "here")
    let thread = RunLoopThread(name: "there")
    let (traces, isDone) = (Box<[RunLoopTrace]>([]), DispatchSemaphore(value: 0))
    thread.taskQueue.perform { traces.add([RunLoop.current.trace()]) }
    thread.taskQueue.perform { isDone.signal() }
    isDone.waitOrDie("the other thread")
    loop.perform { thread.taskQueue.perform { isDone.signal() } }.when(.idle)
    thread.taskQueue.perform {}  // from no task
    loop.runPass()
    isDone.waitOrDie("the other thread")
    traces.value[0].stop()
    let content = try TraceContent([trace] + traces.value)
    let posts = content.spans[1]!.filter { !$0.posts.isEmpty }
    #expect(posts.map(\.category) == ["idle"])
    #expect(content.spans[2]!.compactMap(\.arrow) == posts[0].posts)
    // One loop alone has no arrow.
    let alone = try TraceContent(trace)
    #expect(alone.spans[1]!.allSatisfy { $0.posts.isEmpty })
  }

  @Test func aDelayedTaskWaitsFromItsDateOn() throws {
    let trace = loop.trace()
    loop.perform {}.when(.nextLoopBegan).after(.seconds(3600))
    loop.advance(by: .seconds(3600))
    let task = try #require(TraceContent(trace).spans(of: "nextLoopBegan").first)
    #expect(task.arguments["waited_us"] as? Double == 0)
  }

  @Test func severalRecordingsDoNotDisturbEachOther() throws {
    let traces = (1...3).map { loop.trace(name: "\($0)") }
    loop.perform {}.when(.idle)
    loop.runPass()
    traces[0].stop()
    loop.perform {}.when(.idle)
    loop.runPass()
    let content = try TraceContent(traces)
    #expect((1...3).map { content.tasks(in: $0).count } == [1, 2, 2])
  }

  @Test func aLoopThatEndsEndsItsRecording() throws {
    let trace = onLoopThread {
      let trace = RunLoop.current.trace()
      RunLoop.current.perform {}.when(.idle)
      RunLoop.current.runPass()
      return trace
    }
    #expect(try TraceContent(trace).tasks().count == 1)
    trace.stop()
  }

  @Test func aReleasedRecordingIsOver() {
    weak var released: RunLoopTrace?
    do {
      let trace = loop.trace()
      released = trace
      loop.perform {}.when(.idle)
    }
    loop.runPass()
    let areNoneLeft = !Scheduler.current.isHeard
    #expect(released == nil && areNoneLeft)
  }

  @Test func aFileThatCannotBeWrittenThrows() {
    let trace = loop.trace()
    #expect(throws: (any Error).self) { try trace.write(to: URL(fileURLWithPath: "/nowhere/at/all.json")) }
  }

  @Test(arguments: ["\"quoted\"", "two\nlines\t\\", "🏃‍♀️\u{0}", "", "\u{7f}\u{2028}é"])
  func oddNamesAreKept(name: String) throws {
    let trace = loop.trace(name: name)
    let mode = RunLoop.Mode("mode " + name)
    loop.runPass(mode: mode)
    let content = try TraceContent(trace)
    #expect(content.names == [1: name])
    #expect(content.spans(of: "run").map(\.path) == [["run in \(mode.rawValue) mode"]])
  }
}
