import Foundation
import Testing

@testable import RunLoopTasks

/// Coalescing keys that do things when they go: as with closures, that is user code, which may schedule, cancel and run the loop.
@Suite struct KeyLifetimeTests {
  /// Equal by its number.
  private struct Key: Hashable, Sendable {
    let number: Int
    let token: Token

    init(_ number: Int, whenItGoes: @escaping @Sendable () -> Void = {}) {
      self.number = number
      token = Token(whenItGoes)
    }

    static func == (one: Key, other: Key) -> Bool { one.number == other.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test func itMaySchedule() {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      func replaced() {
        queue.perform(coalescedBy: Key(1) { queue.perform(coalescedBy: Key(1)) { log("from the key") } }) {}
      }
      replaced()
      queue.perform(coalescedBy: Key(1)) { log("second") }
      #expect(queue.count == 1)
      RunLoop.current.runUntilTasksFinish()
    }
    #expect(events == ["from the key"])
  }

  @Test func itMayCancelAll() {
    onLoopThread {
      let queue = RunLoop.current.taskQueue
      let gone = Counter()
      func replaced() { queue.perform(coalescedBy: Key(1) { queue.cancelAll() }) {} }
      replaced()
      queue.perform(coalescedBy: Key(1) { gone.count() }) {}
      RunLoop.current.runUntilTasksFinish()
      #expect(Scheduler.current.keys.isEmpty)
      #expect(gone.value == 1)
    }
  }

  /// The keys go when the mail is read on the way to sleep; what they run must not find the observer of that activity busy.
  @Test(arguments: [Order.app, Order.frame])
  func itMayRunTheLoop(order: Int) {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      let once = Counter()
      func replaced() {
        queue.perform(
          when: .idle, forModes: [.other],
          coalescedBy: Key(1) {
            queue.perform(when: .currentLoopEnded) { log("nested") }
            run()
          }
        ) {}
      }
      replaced()
      observe(.beforeWaiting, order: order) { _ in
        guard once.count() == 1 else { return }
        elsewhere { queue.perform(forModes: [.other], coalescedBy: Key(1)) {} }
      }
      queue.perform { log("outer") }
      run()
      #expect(Scheduler.current.runs.depth == 0)
    }
    #expect(Set(events) == ["nested", "outer"])
  }

  /// The key of a task that was cancelled with all others before the loop has read of it goes with the mail.
  @Test(arguments: [Order.app, Order.frame], [true, false])
  func itMayRunTheLoopWhenItGoesWithTheMail(order: Int, inOneStep: Bool) {
    let events = eventsOnLoopThread { log in
      let queue = RunLoop.current.taskQueue
      let once = Counter()
      observe(.beforeWaiting, order: order) { _ in
        guard once.count() == 1 else { return }
        elsewhere {
          func key() -> Key {
            Key(1) {
              queue.perform(when: .currentLoopEnded) { log("nested") }
              run()
            }
          }
          if inOneStep { queue.perform(coalescedBy: key()) {} } else { queue.perform {}.coalesced(by: key()) }
          queue.cancelAll()
          queue.perform { log("outer") }
        }
      }
      RunLoop.current.perform {}.when(.idle)
      run()
      #expect(Scheduler.current.runs.depth == 0)
    }
    #expect(Set(events) == ["nested", "outer"])
  }

  @Test func itGoesWhenTheTaskHasRunWhoeverHoldsTheTask() {
    let events = eventsOnLoopThread { log in
      let task = RunLoop.current.perform { log("ran") }.when(.currentLoopEnded)
      func key() { task.coalesced(by: Key(1) { log("key gone") }) }
      key()
      RunLoop.current.perform { log("next") }.when(.currentLoopEnded)
      run()
      #expect(task.state == .finished)
    }
    #expect(events == ["ran", "key gone", "next"])
  }

  @Test func itGoesWithItsLoopWhoeverHoldsTheTask() {
    let gone = Counter()
    let task = onLoopThread {
      let queue = RunLoop.current.taskQueue
      return queue.perform(coalescedBy: Key(1) { gone.count() }) {}
    }
    waitUntil { gone.value == 1 }
    #expect(task.state == .cancelled)
  }

  @Test func oneOfACancelledTaskGoesOnTheLoopsThread() {
    let own = onLoopThread {
      let queue = RunLoop.current.taskQueue
      let wentOn = Box<ThreadID?>(nil)
      let cancelled = Box<RunLoopTask?>(nil)
      elsewhere {
        func post() -> RunLoopTask { queue.perform(coalescedBy: Key(1) { wentOn.value = .current }) {} }
        cancelled.value = post()
        cancelled.value?.cancel()
        #expect(wentOn.value == nil)
      }
      RunLoop.current.runPass()
      return wentOn.value == .current
    }
    #expect(own)
  }
}
