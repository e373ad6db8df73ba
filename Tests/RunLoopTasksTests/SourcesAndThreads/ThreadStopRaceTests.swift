import Foundation
import RunLoopTasks
import Testing

/// `stop` and what is sent at the same time, many times.
@Suite(.onOwnLoop) struct ThreadStopRaceTests {
  @Test(arguments: RunLoopTask.Timing.allCases) func whatWasSentBeforeRuns(_ timing: RunLoopTask.Timing) {
    for count in 1...300 {
      let (thread, ran) = (RunLoopThread(name: "worker"), Counter())
      for _ in 1...count % 10 + 1 { thread.taskQueue.perform(when: timing) { ran.count() } }
      thread.stop()
      join(thread)
      #expect(ran.value == count % 10 + 1)
    }
  }

  /// Each thread's tasks run up to some point, and the others are cancelled.
  @Test func eightThreadsStopAThreadWhilePostsComeIn() {
    for round in 1...100 {
      let (thread, before) = (RunLoopThread(name: "worker"), Counter())
      for number in 1...30 {
        thread.taskQueue.perform(when: RunLoopTask.Timing.allCases[number % 3]) { before.count() }
      }
      let posters = (1...8).map { number in
        let tasks = Box<[(RunLoopTask, Counter)]>([])
        let poster = JoinableThread {
          for step in 0..<20 {
            if step == number + round % 8 { thread.stop() }
            let ran = Counter()
            tasks.add([(thread.taskQueue.perform(when: RunLoopTask.Timing.allCases[step % 3]) { ran.count() }, ran)])
          }
        }
        return (poster, tasks)
      }
      for poster in posters { poster.0.join() }
      join(thread)
      #expect(before.value == 30)
      for (task, ran) in posters.flatMap(\.1.value) {
        #expect(task.state == (ran.value == 1 ? .finished : .cancelled))
        #expect(ran.value <= 1)
      }
    }
  }

  @Test(arguments: [true, false]) func whatASourceAcceptsIsDelivered(byStop: Bool) {
    for round in 1...200 {
      let (thread, accepted, delivered) = (Box<RunLoopThread?>(RunLoopThread(name: "worker")), Counter(), Counter())
      let cancelled = DispatchSemaphore(value: 0)
      let source = RunLoopSource<Int>(onCancel: { _ in cancelled.signal() }) {
        for _ in $0 { delivered.count() }
        sched_yield()  // to the senders
      }
      thread.value!.taskQueue.addAndWait(source, forModes: [round % 2 == 0 ? .default : .common])
      let senders = (1...2).map { _ in
        JoinableThread {
          for number in 0... {
            if number >= 500, !source.isValid { break }
            if source.send(number) { accepted.count() }
            if number % 10 == 0 { sched_yield() }  // else the loop's thread hardly gets the lock
          }
        }
      }
      if byStop { thread.value!.stop() }
      thread.value = nil
      cancelled.waitOrDie("the end of the source")
      for sender in senders { sender.join() }
      #expect(delivered.value == accepted.value && !source.isValid)
    }
  }

  /// Two threads send into the first of four sources that feed each other, in either order, and the last one asks for a
  /// save.
  @Test(arguments: [true, false]) func whatAChainAcceptsIsSaved(isLastFirst: Bool) {
    for _ in 1...150 {
      let thread = RunLoopThread(name: "worker")
      let (accepted, stored, saved) = (Counter(), Counter(), Box(0))
      var chain = [
        RunLoopSource<Int>(order: isLastFirst ? 0 : 10) { numbers in
          for _ in numbers { stored.count() }
          RunLoop.current.perform(after: .seconds(3_000), coalescedBy: "save") { saved.value = stored.value }
        }
      ]
      for stage in 1...3 {
        let next = chain[stage - 1]
        chain.append(RunLoopSource(order: isLastFirst ? stage : 10 - stage) { for number in $0 { next.send(number) } })
      }
      let first = chain[3]
      for source in chain { thread.taskQueue.addAndWait(source) }
      let senders = (1...2).map { _ in
        JoinableThread {
          while first.send(1) {
            accepted.count()
            usleep(20)  // else the lock is hardly free for the thread
          }
        }
      }
      waitUntil { accepted.value > 10 }
      thread.stop(runningDelayedTasks: true)
      join(thread)
      for sender in senders { sender.join() }
      #expect(stored.value == accepted.value && saved.value == accepted.value)
    }
  }

  /// One thread stops, and only then another one drops the last reference, in any order with the tasks.
  @Test func theLastReferencesAreReleasedWhileTheThreadStops() {
    for _ in 1...300 {
      let (ran, reference) = (Counter(), Box<RunLoopThread?>(RunLoopThread(name: "worker")))
      let queue = Box<RunLoopTaskQueue?>(reference.value!.taskQueue)
      for timing in RunLoopTask.Timing.allCases { queue.value!.perform(when: timing) { ran.count() } }
      let others = [
        JoinableThread { reference.value?.stop() }, JoinableThread { reference.value = nil },
        JoinableThread { queue.value = nil },
      ]
      for other in others { other.join() }
      waitUntil { ran.value == 3 }
    }
  }
}
