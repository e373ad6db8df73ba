import Foundation
import Testing

@testable import RunLoopTasks

/// Runs that have no `exit`, because a host has caught an exception that left them.
@Suite(.onOwnLoop) struct LostRunTests {
  private let loop = CountingLoop()
  private let scheduler: Scheduler
  private var queue: RunLoopTaskQueue { RunLoopTaskQueue(scheduler: scheduler) }

  init() { scheduler = Scheduler(loop, of: nil) }

  /// - Parameter frame: where the stack is. It grows downward.
  private func begin(_ name: RunLoop.Mode = .default, at frame: UInt) -> Bool {
    let mode = scheduler.id(of: name)
    loop.running.append(mode)
    defer { scheduler.handle(.entry, in: mode) }
    return scheduler.runBegins(in: mode, at: frame)
  }

  private func end() {
    scheduler.handle(.exit, in: loop.running.last!)
    scheduler.lastLook(at: .exit, in: loop.running.removeLast())
  }

  private func simulate(_ body: () -> Void) {
    ThreadLocalScheduler.simulate(scheduler) {
      body()
      scheduler.end()
    }
  }

  @Test(arguments: [1_000, 1_001] as [UInt]) func aRunAtOrAboveTheFrameOfAnotherEndsThat(frame: UInt) {
    simulate {
      _ = begin(at: 1_000)
      scheduler.batch = Batch(of: .idle, in: .default, at: 1, lastExit: nil, budget: 1, isSliced: true)
      #expect(begin(.custom, at: frame))  // all are gone, so the loop may take new observers
      #expect(scheduler.runs.map(\.mode) == [scheduler.id(of: .custom)] && scheduler.batch == nil)
      end()
      #expect(scheduler.runs.isEmpty)
    }
  }

  @Test func aRunBelowTheFrameOfAnotherIsNested() {
    simulate {
      _ = begin(at: 1_000)
      #expect(!begin(.custom, at: 999))
      #expect(scheduler.runs.count == 2)
      end()
      end()
      #expect(scheduler.runs.isEmpty)
    }
  }

  @Test func aRunWhoseFrameIsNotKnownEndsNone() {
    simulate {
      _ = begin(at: 1_000)
      #expect(!scheduler.runBegins(in: scheduler.id(of: .custom)))
      #expect(!begin(at: 500))
      #expect(scheduler.runs.count == 3)
    }
  }

  @Test func theRunAroundALostOneGoesOn() {
    simulate {
      _ = begin(at: 2_000)
      for _ in 1...3 {
        #expect(!begin(at: 1_000))  // and it is lost
        loop.running.removeLast()
      }
      #expect(scheduler.runs.count == 2)
      #expect(!begin(at: 1_500))
      end()
      #expect(scheduler.runs.count == 1)
    }
  }

  @Test func aTaskMayCatchTheExceptionOfARunThatItNests() {
    simulate {
      _ = begin(at: 2_000)
      queue.perform(when: .currentLoopEnded) {
        _ = begin(at: 1_000)
        loop.running.removeLast()
      }
      scheduler.handle(.beforeWaiting, in: .default)
      #expect(scheduler.runs.count == 1 && scheduler.batch == nil)
    }
  }

  /// Slices and tasks of all timings, as in a first run.
  @Test func afterALostRunTasksRunAndIdleOnesGiveWay() {
    let log = Log()
    simulate {
      _ = begin(at: 1_000)
      loop.running.removeLast()
      for number in 1...2 {
        queue.perform(when: .idle) {
          log("\(number)")
          spin()
        }
      }
      for _ in 1...5 {
        _ = begin(at: 1_000)
        queue.perform(when: .currentLoopEnded) { log("ended") }
        end()
      }
      #expect(log.events == ["1", "ended", "ended", "ended", "2", "ended", "ended"] && scheduler.runs.isEmpty)
    }
  }
}
