import Foundation
import RunLoopTasks
import Testing

@testable import RunLoopVirtualTime

/// Whose jobs `RunLoop.advance` waits for, and how long.
struct JobTimesTests {
  private let test = JobOwner(test: 1)
  private let loop = JobOwner(loop: ObjectIdentifier(JobTimesTests.self))
  private let currentTest = Locked<JobOwner?>(nil)
  private let times = JobTimes()

  init() { meet(3) }

  @Test func threeMeetingsWithoutAJobAreQuiet() {
    #expect(jobs(of: loop) == .none)
    times.noteJob(of: 1)
    meet(2)
    times.noteJob(of: 1)
    meet(2)
    #expect(jobs(of: loop) == .own)
    meet(1)
    #expect(jobs(of: loop) == .none)
    #expect(times.jobs(concerning: loop, latest: times.now) == .own)
  }

  @Test func aMeetingThatHadBegunBeforeAJobDoesNotCount() {
    times.noteBegin()
    times.noteJob(of: 1)
    times.noteEnd()
    meet(2)
    #expect(jobs(of: loop) == .own)
  }

  @Test func aTestWaitsForItsTasksWhoeverResumesThem() {
    tellTests()
    beginJob(of: 101, in: test)
    let other = JobOwner(test: 2)
    for _ in 1...2 {
      #expect([test, other, loop].map { jobs(of: $0) } == [.own, .none, .others])
      meet(3)
      beginJob(of: 101)
    }
  }

  @Test func aLoopWaitsForTheTasksThatItStartsAndResumes() {
    beginJob(of: 101, on: loop)
    let other = JobOwner(loop: ObjectIdentifier(JobTimes.self))
    #expect([loop, other].map { jobs(of: $0) } == [.own, .others])
    meet(3)
    beginJob(of: 101, on: other)
    #expect([loop, other].map { jobs(of: $0) } == [.others, .own])
  }

  @Test func aLoopWaitsForTheTestWhoseTasksItResumes() {
    tellTests()
    beginJob(of: 101, in: test)
    beginJob(of: 101, on: loop)
    meet(3)
    beginJob(of: 102, in: test)
    #expect([test, loop].map { jobs(of: $0) } == [.own, .own])
  }

  @Test func allWaitForJobsWithoutAnOwner() {
    tellTests()
    for task in [101, 101, 0] as [UInt64] {
      meet(3)
      beginJob(of: task)
      #expect([test, loop].map { jobs(of: $0) } == [.others, .others])
    }
  }

  @Test func withoutTestsALoopOwnsJobsWithoutAnOwner() {
    beginJob(of: 101)
    #expect(jobs(of: loop) == .own)
  }

  @Test func whatWasThereBeforeTheFirstTestIsNobodys() {
    tellTests()
    meet(3)
    beginJob(of: 99)
    #expect([test, loop].map { jobs(of: $0) } == [.none, .others])
  }

  /// The product may be used first in the middle of a test.
  @Test func whatTheFirstTestHasStartedBeforeMayBeItsOwn() async throws {
    let task = try #require(JobHook.currentTaskID)
    currentTest.withLock { $0 = test }
    times.tellTests { [currentTest] in currentTest.withLock { $0 } }
    meet(3)
    beginJob(of: task + 1)
    #expect([test, loop].map { jobs(of: $0) } == [.others, .others])
    meet(3)
    beginJob(of: task - 1)
    #expect([test, loop].map { jobs(of: $0) } == [.none, .others])
  }

  /// A loop may be used by one test after the other.
  @Test func theJobsOfATestConcernItsLoopUntilTheNextAdvance() {
    tellTests()
    beginJob(of: 101, in: test)
    beginJob(of: 101, on: loop)
    meet(3)
    let other = JobOwner(test: 2)
    beginJob(of: 102, in: other)
    #expect([loop, other].map { jobs(of: $0) } == [.none, .own])
    #expect(times.owner(advancing: loop) == loop)
    #expect(jobs(of: loop) == .others)
  }

  @Test func aTaskIsRememberedWhileThousandsOfOthersCome() {
    tellTests()
    beginJob(of: 101, in: test)
    for task in 200..<UInt64(20_000) { beginJob(of: task) }
    meet(3)
    beginJob(of: 101)
    #expect(jobs(of: test) == .own)
    for task in 20_000..<UInt64(70_000) { beginJob(of: task) }
    meet(3)
    beginJob(of: 101)
    #expect(jobs(of: test) == .others)  // not for ever
  }

  /// They had no owner.
  @Test func jobsMayHaveComeUnseenBeforeTheFirstMeeting() {
    #expect([test, loop].map { JobTimes().jobs(concerning: $0, latest: JobTimes.never) } == [.others, .own])
  }

  /// It calls, and so is nowhere else.
  @Test func theCallersOwnTaskIsNotAwaited() async throws {
    tellTests()
    let task = try #require(JobHook.currentTaskID)
    beginJob(of: task, in: test)
    #expect(jobs(of: test) == .none)
    beginJob(of: task + 1, in: test)
    beginJob(of: task, in: test)
    #expect(jobs(of: test) == .own)
  }

  private func jobs(of owner: JobOwner) -> JobTimes.Jobs { times.jobs(concerning: owner, latest: JobTimes.never) }

  private func beginJob(of task: UInt64, in test: JobOwner? = nil, on loop: JobOwner? = nil) {
    currentTest.withLock { $0 = test }
    JobOwner.advancedLoop.withValue(loop) { times.noteJob(of: task) }
    currentTest.withLock { $0 = nil }
  }

  private func meet(_ count: Int) {
    for _ in 1...count {
      times.noteBegin()
      times.noteEnd()
    }
  }

  /// The first task that counts has the number 100.
  private func tellTests() {
    times.tellTests { [currentTest] in currentTest.withLock { $0 } }
    times.noteTask(100)
  }
}
