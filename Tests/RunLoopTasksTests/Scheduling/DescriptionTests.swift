import Foundation
import RunLoopVirtualTime
import Testing

@testable import RunLoopTasks

/// The descriptions of tasks and queues.
@Suite(.onOwnLoop) struct DescriptionTests {
  let queue = RunLoop.current.taskQueue

  private static let place = "scheduled at RunLoopTasksTests/DescriptionTests.swift"

  /// The lines of a queue's description, without the places at which the tasks were scheduled.
  private var lines: [String] {
    queue.debugDescription.split(separator: "\n").map { String($0.replacing(/, scheduled at .*$/, with: "")) }
  }

  // MARK: tasks

  @Test(arguments: [true, false]) func aTaskDescribesItsStateTimingModesAndLine(onOwnThread: Bool) {
    let (task, line) = (RunLoop.current.perform {}.when(.idle), #line)
    #expect(task.description == "RunLoopTask(pending, idle in default, \(Self.place):\(line))")
    elsewhere {
      #expect(task.description == "RunLoopTask(pending, \(Self.place):\(line))")
      #expect(queue.debugDescription == "RunLoopTaskQueue, 1 pending")
    }
    call(onOwnThread: onOwnThread) { task.cancel() }
    #expect(task.description == "RunLoopTask(cancelled, \(Self.place):\(line))")
  }

  @Test func aTaskWhoseLimitHasPassedIsOverdue() {
    let task = RunLoop.current.perform {}.when(.idle).forModes(.custom).within(.seconds(1))
    RunLoop.current.advance(by: .seconds(1_000))
    for text in [task.description, queue.debugDescription] {
      #expect(text.contains("idle in \"RunLoopTasksTests.custom\", within 0 seconds"))
    }
  }

  // MARK: queues

  @Test func aQueueListsItsPendingTasksInOrder() {
    RunLoop.current.perform {}.when(.idle).forModes(.common)
    elsewhere { queue.perform(forModes: [.custom, .default], coalescedBy: "key") {} }
    RunLoop.current.perform {}.when(.currentLoopEnded).coalesced(by: 7)
    #expect(
      lines == [
        "RunLoopTaskQueue, 3 pending", "  idle in common",
        "  nextLoopBegan in \"RunLoopTasksTests.custom\", default, coalesced by \"key\"",
        "  currentLoopEnded in default, coalesced by 7",
      ])
    #expect(queue.debugDescription.split(separator: Self.place).count == 4)
  }

  @Test func aQueueListsTimesOrdersAndKeys() {
    atOneMoment {
      RunLoop.current.perform(when: .idle, coalescedBy: 1, atMostEvery: .seconds(3)) {}.runNow()
      RunLoop.current.perform {}.when(.idle).after(.milliseconds(250))
      RunLoop.current.perform {}.when(.idle).after(.milliseconds(100)).order(1)
      RunLoop.current.perform {}.when(.currentLoopEnded).within(.seconds(90))
      RunLoop.current.perform {}.when(.idle).order(-7)
      RunLoop.current.perform(when: .idle, coalescedBy: 1, atMostEvery: .seconds(3)) {}
      #expect(
        lines == [
          "RunLoopTaskQueue, 5 pending", "  idle in default, order -7",
          "  currentLoopEnded in default, within 90 seconds", "  idle in default, in 0.1 seconds, order 1",
          "  idle in default, in 0.25 seconds", "  idle in default, in 3 seconds, coalesced by 1",
        ])
    }
  }

  // MARK: what they must not do

  @Test func theyReleaseNothing() {
    let log = Log()
    let task = RunLoop.current.perform(closure { log("released") }).when(.idle)
    elsewhere { task.cancel() }
    #expect(queue.debugDescription == "RunLoopTaskQueue, 0 pending" && task.description.contains("cancelled"))
    #expect(log.events == [])
    RunLoop.current.runPass()
    #expect(log.events == ["released"])
  }

  @Test func theyReadNothing() {
    let task = queue.perform {}
    let posted = Box<RunLoopTask?>(nil)
    elsewhere { posted.value = queue.perform(when: .idle, forModes: [.other], coalescedBy: 1) {} }
    #expect(lines.last == "  idle in \"RunLoopTasksTests.other\", coalesced by 1")
    #expect(posted.value?.description.contains("idle in \"RunLoopTasksTests.other\", coalesced by 1") == true)
    let hasMessages = Scheduler.current.inbox.hasUnread
    #expect(hasMessages)
    task.cancel()
  }

  @Test func theyLetNoTimePass() {
    let task = RunLoop.current.perform {}.when(.idle).after(.milliseconds(100))
    let other = RunLoop.current.perform {}.when(.idle)
    stopClock(after: .milliseconds(100))
    #expect(lines == ["RunLoopTaskQueue, 2 pending", "  idle in default", "  idle in default"])
    #expect(task.description.contains("(pending, idle in default, scheduled"))
    #expect(task.whereabouts == .waiting)
    letClockRun()
    other.cancel()
  }

  private struct TalkativeKey: Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let calls: Counter
    var description: String { "\(calls.count())" }
    var debugDescription: String { "\(calls.count())" }
    var customMirror: Mirror {
      calls.count()
      return Mirror(self, children: [])
    }

    static func == (_: TalkativeKey, _: TalkativeKey) -> Bool { true }
    func hash(into _: inout Hasher) {}
  }

  @Test func theyCallNoCodeOfAKey() {
    let calls = Counter()
    let task = RunLoop.current.perform(when: .idle, coalescedBy: TalkativeKey(calls: calls)) {}
    #expect(task.description.contains("coalesced by a key of type TalkativeKey"))
    #expect(queue.debugDescription.contains("coalesced by a key of type TalkativeKey"))
    #expect(calls.value == 0)
  }

  @Test func dumpOmitsTheChildren() {
    let task = RunLoop.current.perform {}.when(.idle)
    let (source, thread) = (addSource { _, _ in }, RunLoopThread(name: "dumped"))
    let observer = RunLoop.current.observe(.all) { _ in }
    for value in [task, queue, source, observer, thread] as [Any] {
      var text = ""
      dump(value, to: &text)
      #expect(!text.contains("CFString") && text.split(separator: "\n").count <= 2)
    }
  }
}
