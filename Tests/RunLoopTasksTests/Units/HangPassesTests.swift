import Foundation
import Testing

@testable import RunLoopTasks
@testable import RunLoopTracing

/// What counts as a hang, in made-up time.
struct HangPassesTests {
  @Test func aPassCountsFromItsWakingToItsSleep() {
    var loop = Course()
    loop.enter(.default)
    loop.take(3)
    loop.fallAsleep()
    loop.take(1_000)  // asleep
    #expect(loop.deadline == nil)
    loop.wake()
    loop.take(12)
    #expect(loop.news == ["so far 10 default"])
    loop.fallAsleep()
    #expect(loop.news == ["over 12 default"])
    loop.wake()
    loop.take(9)
    loop.exit()
    #expect(loop.news == [])
  }

  @Test func aHangThatNoAlarmHasSeenIsReportedTwiceAllTheSame() {
    var loop = Course(hasAlarms: false)
    loop.enter(.default)
    loop.take(11)
    loop.fallAsleep()
    #expect(loop.news == ["so far 11 default", "over 11 default"])
  }

  @Test func passesByHandDoNotCountWhatComesBetween() {
    var loop = Course()
    for isDriven in [true, false, true] {
      loop.enter(.default, isDriven: isDriven)
      loop.take(4)
      if isDriven { loop.fallAsleep() }
      loop.take(4)
      loop.exit()
      loop.take(100)
    }
    #expect(loop.news == [])
  }

  @Test func aRunThatHasSleptAndIsFollowedByAnotherGoesOn() {
    var loop = Course()
    loop.enter(.default)
    loop.fallAsleep()
    loop.wake()
    loop.take(2)
    loop.exit()
    loop.take(20)  // the event, outside
    #expect(loop.news == [])
    loop.enter(.default)
    #expect(loop.news == ["so far 22 between"])
    loop.take(3)
    loop.fallAsleep()
    #expect(loop.news == ["over 25 between"])
  }

  @Test func aNestedRunDoesNotCountForThePassAround() {
    var loop = Course()
    loop.enter(.default)
    loop.take(4)
    loop.begin()
    loop.take(3)
    loop.enter(.custom)
    loop.fallAsleep()
    loop.take(100)
    loop.wake()
    loop.take(9)
    loop.exit()
    #expect(loop.deadline == loop.time + 3)
    loop.take(2)
    loop.end()
    loop.fallAsleep()
    #expect(loop.news == [])
  }

  @Test func aHangInANestedRunIsItsOwn() {
    var loop = Course()
    loop.enter(.default)
    loop.begin()
    loop.enter(.custom)
    loop.take(20)
    #expect(loop.news == ["so far 10 custom"])
    loop.exit()
    #expect(loop.news == ["over 20 custom"])
    loop.end()
    loop.exit()
    #expect(loop.news == [])
  }

  @Test func theTimeBetweenTwoModalRunsIsTheirs() {
    var loop = Course()
    loop.enter(.default)
    loop.begin()
    for _ in 1...5 {
      loop.enter(.custom)
      loop.fallAsleep()
      loop.take(50)
      loop.wake()
      loop.exit()
      loop.take(4)
    }
    #expect(loop.news == [])
    loop.enter(.custom)
    loop.fallAsleep()
    loop.wake()
    loop.exit()
    loop.take(15)  // an event of the panel: it is not known yet whether a run follows
    #expect(loop.news == ["so far 10 default"])
    loop.enter(.custom)
    loop.fallAsleep()
    #expect(loop.news == ["over 15 default"])
    loop.exit()
    loop.end()
    loop.exit()
    #expect(loop.news == [])
  }

  @Test func aHiddenRunIsTakenForASleep() {
    var loop = Course(hasAlarms: false)
    loop.enter(.default)
    loop.begin()
    loop.take(50)
    loop.nesting.beginHiddenRun(in: .custom)
    #expect(loop.deadline == nil)
    loop.take(50)
    loop.enterUnseen(.custom)  // its first activity that is told
    loop.take(4)
    loop.exit()
    loop.end()
    loop.fallAsleep()
    #expect(loop.news == [])
  }

  @Test func whatAnExceptionHasLeftIsOver() {
    var loop = Course()
    loop.enter(.default)
    loop.begin()
    loop.enter(.custom)
    loop.begin()
    loop.unwind(to: 1)  // in the outer run
    loop.fallAsleep()
    loop.take(100)
    loop.wake()
    loop.exit()
    #expect(loop.news == [])
    loop.enter(.default)
    loop.unwind(to: 0)
    loop.enter(.default)
    loop.take(8)
    loop.exit()
    #expect(loop.news == [])
  }

  @Test func theTenLongestTasksAreKept() {
    var loop = Course(limit: 1_000)
    loop.enter(.default)
    for duration in 1...50 {
      loop.begin()
      loop.take(Int64(duration))
      loop.end()
    }
    loop.fallAsleep()
    let pass = loop.latest!.pass
    #expect(pass.longest.map(\.duration) == (41...50).reversed().map(Int64.init))
    #expect(pass.workCount == 50 && pass.workTime == 50 * 51 / 2)
  }

  @Test func aTaskAfterAModalRunHasNotBegunInTheFuture() {
    var loop = Course(limit: 100)
    loop.enter(.default)
    for rest in [7, 4] {
      loop.begin()
      loop.take(5)
      loop.enter(.custom)
      loop.fallAsleep()
      loop.take(50)
      loop.wake()
      loop.exit()
      loop.take(Int64(rest))
      loop.end()
    }
    loop.take(200)
    loop.fallAsleep()
    // The second run goes on with the pass of the first one, so what lies between them is not the tasks' time. Whether
    // a run follows is not known when the first task ends.
    #expect(loop.latest!.pass.longest.map(\.duration) == [12, 4])
  }

  @Test func eachOfTwoHangsAroundModalRunsIsOver() {
    var loop = Course()
    loop.enter(.default)
    loop.begin()
    loop.enter(.custom)
    loop.fallAsleep()
    loop.wake()
    loop.take(12)
    loop.exit()
    #expect(loop.news == ["so far 10 custom"])
    loop.take(15)
    #expect(loop.news == ["so far 10 default"])
    loop.enter(.custom)
    #expect(loop.news == ["over 15 default"])
    loop.fallAsleep()
    #expect(loop.news == ["over 27 custom"])
    loop.exit()
    loop.end()
    loop.exit()
    #expect(loop.news == [])
  }

  @Test func theTimeOfANestedWorkIsItsOwn() {
    var loop = Course()
    loop.enter(.default)
    loop.begin()
    loop.take(2)
    loop.begin()
    loop.take(6)
    loop.end()
    loop.take(3)
    #expect(loop.news == ["so far 10 default"])
    loop.end()
    loop.fallAsleep()
    #expect(loop.latest!.pass.longest.map(\.duration) == [6, 5])
    #expect(loop.latest!.pass.workTime == 11)
  }

  @Test func aRunThatNoOtherFollowsIsOver() {
    var loop = Course()
    loop.enter(.default)
    loop.fallAsleep()
    loop.wake()
    loop.take(12)
    loop.exit()
    loop.take(100)
    #expect(loop.news == ["so far 10 default"])
    loop.nesting.sink.finishLeft()
    #expect(loop.news == ["over 12 default"])
  }

  @Test func whatIsLeftNeedsLooksUpToTheLimit() {
    var loop = Course()
    loop.enter(.default)
    loop.fallAsleep()
    loop.wake()
    loop.take(2)
    loop.exit()
    #expect(loop.deadline == loop.time + 8)
    loop.take(100)
    #expect(loop.deadline == nil && loop.news == [])
    loop.enter(.default)
    #expect(loop.news == ["so far 102 between"])
  }

  @Test func whatIsInAPassThatBeginsAnewBeginsWithIt() {
    var loop = Course()
    loop.enter(.default)
    loop.begin()
    loop.take(6)
    loop.end()
    loop.begin()
    loop.take(3)
    loop.nesting.sink.restartPass(at: loop.time)
    loop.take(12)
    #expect(loop.news == ["so far 10 default"])
    loop.nesting.sink.restartPass(at: loop.time)  // too late: it was reported
    loop.end()
    loop.fallAsleep()
    #expect(loop.news == ["over 12 default"])
    let pass = loop.latest!.pass
    #expect(pass.longest.map(\.duration) == [12] && pass.workCount == 1 && pass.workTime == 12)
  }
}
