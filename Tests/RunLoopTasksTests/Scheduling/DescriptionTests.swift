import Foundation
import RunLoopTasks
import Testing

/// The descriptions of tasks and queues.
@Suite(.onOwnLoop) struct DescriptionTests {
  private static let file = "RunLoopTasksTests/DescriptionTests.swift"

  @Test func aTaskDescribesItsStateTimingModesAndLine() {
    let (task, line) = (RunLoop.current.perform {}.when(.idle), #line)
    #expect(task.description == "RunLoopTask(pending, idle in default, scheduled at \(Self.file):\(line))")
  }

  @Test func aTaskThatIsNotPendingDescribesItsStateAndLine() {
    let (task, line) = (RunLoop.current.perform {}.when(.idle), #line)
    task.cancel()
    #expect(task.description == "RunLoopTask(cancelled, scheduled at \(Self.file):\(line))")
  }

  @Test func aTaskCancelledByAnotherThreadIsDescribedAsCancelled() {
    let (task, line) = (RunLoop.current.perform {}.when(.idle), #line)
    elsewhere { task.cancel() }
    #expect(task.description == "RunLoopTask(cancelled, scheduled at \(Self.file):\(line))")
  }

  @Test func aTaskDescribesAnyFileAndLine() {
    func letter<Value: ExpressibleByUnicodeScalarLiteral>() -> Value { "x" }  // a static string without a pointer
    #expect(RunLoop.current.perform({}, fileID: letter(), line: 1).description.hasSuffix("scheduled at ?:1)"))
    for line in [65_535, 65_536, 200_000] as [UInt] {
      #expect(RunLoop.current.perform({}, fileID: "a file", line: line).description.hasSuffix("a file:\(line))"))
    }
  }

  @Test func aDescriptionOnAnotherThreadOmitsTheTimingAndModes() {
    let (task, line) = (RunLoop.current.perform {}.when(.idle), #line)
    elsewhere { #expect(task.description == "RunLoopTask(pending, scheduled at \(Self.file):\(line))") }
  }

  @Test func aQueueListsItsPendingTasksInOrder() {
    let queue = RunLoop.current.taskQueue
    RunLoop.current.perform {}.when(.idle).forModes(.common)
    elsewhere { queue.perform(forModes: [.custom, .default], coalescedBy: "key") {} }
    RunLoop.current.perform {}.when(.currentLoopEnded).coalesced(by: 7)
    let lines = queue.debugDescription.split(separator: "\n").map(String.init)
    #expect(
      lines.map { $0.replacing(/:\d+$/, with: "") } == [
        "RunLoopTaskQueue, 3 pending",
        "  idle in common, scheduled at \(Self.file)",
        "  nextLoopBegan in \"RunLoopTasksTests.custom\", default, coalesced by \"key\", scheduled at \(Self.file)",
        "  currentLoopEnded in default, coalesced by 7, scheduled at \(Self.file)",
      ])
  }

  @Test(arguments: [101, 150]) func aQueueListsAHundredOfManyTasks(count: Int) {
    for _ in 1...count { RunLoop.current.perform {}.when(.idle) }
    let lines = RunLoop.current.taskQueue.debugDescription.split(separator: "\n").map(String.init)
    #expect(lines.count == 102)
    #expect(lines.first == "RunLoopTaskQueue, \(count) pending")
    #expect(lines.last == "  and \(count - 100) more")
  }

  @Test func aQueueListsAllOfAHundredTasks() {
    for _ in 1...100 { RunLoop.current.perform {}.when(.idle) }
    let lines = RunLoop.current.taskQueue.debugDescription.split(separator: "\n").map(String.init)
    #expect(lines.count == 101)
    #expect(lines.last?.hasPrefix("  idle in default") == true)
  }

  @Test func aDescriptionOnAnotherThreadGivesTheCount() {
    let queue = RunLoop.current.taskQueue
    RunLoop.current.perform {}.when(.currentLoopEnded)
    elsewhere {
      queue.perform(when: .idle) {}
      #expect(queue.debugDescription == "RunLoopTaskQueue, 2 pending")
    }
  }

  @Test func aQueueThatWasNeverUsedDescribesItself() {
    let loop = LoopThread(running: .default)
    waitUntil { loop.isSleeping }
    #expect(loop.queue.debugDescription == "RunLoopTaskQueue, 0 pending")
    loop.end()
  }

  @Test func dumpOmitsTheChildren() {
    let (task, queue) = (RunLoop.current.perform {}.when(.idle), RunLoop.current.taskQueue)
    let (source, thread) = (RunLoopSource<Int> { _ in }, RunLoopThread(name: "dumped"))
    let observer = RunLoop.current.observe(.all) { _ in }
    RunLoop.current.add(source, forMode: .default)
    for value in [task, queue, source, observer, thread] as [Any] {
      var text = ""
      dump(value, to: &text)
      #expect(!text.contains("CFString") && text.split(separator: "\n").count <= 2)
    }
  }

  @Test func theQueueOfAnEndedLoopDescribesItself() {
    #expect(endedQueue().debugDescription == "RunLoopTaskQueue of a loop that has ended")
  }
}
