import Foundation
import RunLoopTasks
import Testing

/// Time and order in the descriptions of tasks and queues.
@Suite(.onOwnLoop) struct TimeDescriptionTests {
  private static func lines() -> [String] {
    RunLoop.current.taskQueue.debugDescription.split(separator: "\n")
      .map { String($0).replacing(/, scheduled at RunLoopTasksTests\/TimeDescriptionTests.swift:\d+$/, with: "") }
  }

  @Test func aQueueListsTimeAndOrder() {
    var lines: [String] = []
    atOneMoment {
      RunLoop.current.perform {}.when(.idle).after(.milliseconds(250))
      RunLoop.current.perform {}.when(.currentLoopEnded).within(.seconds(90))
      RunLoop.current.perform {}.when(.idle).order(-7)
      RunLoop.current.perform {}.when(.idle).coalesced(by: "key", atMostEvery: .milliseconds(300))
      lines = Self.lines()
    }
    #expect(
      lines == [
        "RunLoopTaskQueue, 4 pending",
        "  idle in default, order -7",
        "  currentLoopEnded in default, within 90.0 s",
        "  idle in default, coalesced by \"key\", at most every 300 ms",
        "  idle in default, in 250 ms",
      ])
  }

  @Test func delayedTasksAreListedInTheOrderOfTheirDelays() {
    for seconds in [300, 100, 200] { RunLoop.current.perform {}.when(.idle).after(.seconds(seconds)).order(-seconds) }
    let lines = Self.lines()
    #expect(lines.dropFirst().map { $0.suffix(4) } == ["-100", "-200", "-300"])
  }

  @Test func aTaskThatWaitsForItsIntervalIsListedAsDelayed() {
    func schedule() { RunLoop.current.perform(when: .idle, coalescedBy: 1, atMostEvery: .seconds(3_000)) {} }
    schedule()
    RunLoop.current.runPass()
    schedule()
    let lines = Self.lines()
    #expect(lines.last?.hasPrefix("  idle in default, in 29") == true)
    #expect(lines.last?.hasSuffix("at most every 3000.0 s") == true)
  }

  @Test func aTaskWhoseLimitHasPassedIsOverdue() {
    let task = RunLoop.current.perform {}.when(.idle).forModes(.custom).within(.seconds(1))
    RunLoop.current.advance(by: .seconds(1_000))
    for text in [task.description, RunLoop.current.taskQueue.debugDescription] {
      #expect(text.contains("idle in \"RunLoopTasksTests.custom\", overdue"))
    }
  }

  /// The loop has not run since the end of the delay.
  @Test func aDelayThatHasEndedIsNotListed() {
    RunLoop.current.perform {}.when(.idle).after(.milliseconds(1))
    let start = DispatchTime.now()
    waitUntil { DispatchTime.now() > start + .milliseconds(2) }
    let text = RunLoop.current.taskQueue.debugDescription
    #expect(text.contains("1 pending") && !text.contains("in -"))
  }

  /// A key whose description schedules a task on another thread.
  private struct PostingKey: Hashable, Sendable, CustomDebugStringConvertible {
    let queue: RunLoopTaskQueue
    var debugDescription: String {
      elsewhere { queue.perform(when: .idle) {} }
      return "a key"
    }
  }

  @Test func aTaskScheduledDuringTheListingIsNeitherCountedNorListed() {
    RunLoop.current.perform {}.when(.idle).coalesced(by: PostingKey(queue: RunLoop.current.taskQueue))
    let lines = Self.lines()
    #expect(lines == ["RunLoopTaskQueue, 1 pending", "  idle in default, coalesced by a key"])
  }

  @Test func theCountEqualsTheListWhileOtherThreadsScheduleAndCancel() {
    let (queue, posters, done) = (RunLoop.current.taskQueue, Counter(), DispatchSemaphore(value: 0))
    for key in 1...2 {
      Thread {
        for number in 1...5_000 {
          let task = queue.perform(when: .idle) {}
          if number % 2 == 0 { task.cancel() }
          if number % 40 == 0, key == 1 { queue.cancelAll() }
        }
        posters.count()
        done.signal()
      }.start()
    }
    repeat {
      let lines = queue.debugDescription.split(separator: "\n")
      let listed = lines.dropFirst().filter { !$0.hasPrefix("  and ") }.count
      let more = lines.last.flatMap { $0.firstMatch(of: /and (\d+) more/) }.flatMap { Int($0.1) } ?? 0
      #expect(lines[0] == "RunLoopTaskQueue, \(listed + more) pending")
    } while posters.value < 2
    for _ in 1...2 { done.waitOrDie("a thread that posts") }
  }
}
