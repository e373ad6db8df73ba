#if os(Linux)
  import Foundation
  import RunLoopHost
  import RunLoopTasks

  // The host's loop, or the main loop, inside another run.
  var nesting: Tests {
    [
      // As a dialog that a button opens, and Chromium's `NativeNestedLoopWithoutDoWork`.
      "nested in a handler": {
        let host = PollHost()
        host.settle()
        let ran = Counter()
        var isNested = false
        let hasRun = host.run {
          ran.value == 3
        } handler: {
          if isNested { return }
          isNested = true
          RunLoop.main.perform(when: .idle) { ran.count() }
          elsewhere { RunLoopTaskQueue.main.perform { ran.count() } }
          say(host.run { ran.value == 2 })
          RunLoop.main.perform(when: .idle) { ran.count() }
        }
        say(hasRun)
        host.settle()
        say(host.wakeUps(inSeconds: 0.2))
      },

      // As a dialog that a task opens. Tasks, delays, blocks and timers are served there.
      "nested in a task": {
        let host = PollHost()
        let events = Locked<[String]>([])
        RunLoop.main.perform(when: .nextLoopBegan) {
          RunLoop.main.perform { events.withLock { $0.append("delay") } }.after(.milliseconds(10))
          DispatchQueue.main.async { events.withLock { $0.append("block") } }
          elsewhere { RunLoopTaskQueue.main.perform { events.withLock { $0.append("post") } } }
          let timer = Timer(fire: .now + 0.03, interval: 0, repeats: false) { _ in
            events.withLock { $0.append("timer") }
          }
          RunLoop.main.add(timer, forMode: .common)
          say(host.run { events.withLock { $0.count } == 5 })
          host.settle()
          say(host.wakeUps(inSeconds: 0.2))
        }
        RunLoop.main.perform(when: .nextLoopBegan) { events.withLock { $0.append("batch") } }
        host.loop.runPass()
        say(events.withLock { $0.sorted() })
        host.settle()
        say(host.wakeUps(inSeconds: 0.2))
      },

      // `prepareToSleep()` sees what the task itself has posted.
      "nested after a post": {
        let host = PollHost()
        let posted = Counter()
        host.settle()
        RunLoop.main.perform(when: .currentLoopEnded) {
          RunLoopTaskQueue.main.perform { posted.count() }
          say(host.run(seconds: 10) { posted.value == 1 })
        }
        host.loop.runPass()
      },

      // The main queue remains ready until the block returns, and the host must not spin on it.
      "nested in a block": {
        let host = PollHost()
        let (after, posted, done) = (Counter(), Counter(), Counter())
        host.settle()
        DispatchQueue.main.async { [host = Unchecked(host)] in
          let host = host.value
          DispatchQueue.main.async { after.count() }
          elsewhere {
            usleep(50_000)
            RunLoopTaskQueue.main.perform { posted.count() }
          }
          say(host.run { posted.value == 1 })
          let wakeUps = host.wakeUps(inSeconds: 0.3)
          say(wakeUps <= 1 ? "rests" : "\(wakeUps) wake-ups")
          say(after.value)
          done.count()
        }
        say(host.run { done.value == 1 })
        say(host.run { after.value == 1 })
        DispatchQueue.main.async { after.count() }
        say(host.run { after.value == 2 })
        host.settle()
        say(host.wakeUps(inSeconds: 0.2))
      },

      // Once the block has returned, blocks wake a host that is nested in a task of the same pass, also one that comes
      // while the one before it runs.
      "nested after a block": {
        let host = PollHost()
        let done = Counter()
        host.settle()
        DispatchQueue.main.async { [host = Unchecked(host)] in
          DispatchQueue.main.async {}
          host.value.run(seconds: 0.05)
          RunLoop.main.perform(when: .currentLoopEnded) {
            host.value.settle()
            let chained = Counter()
            elsewhere { chain(100, chained) }
            say(host.value.run(seconds: 10) { chained.value == 100 })
            done.count()
          }
        }
        say(host.run { done.value == 1 })
      },

      // The timer remains due until its closure returns.
      "nested in a timer": {
        let host = PollHost()
        let done = Counter()
        let timer = Timer(fire: .now + 0.01, interval: 0.02, repeats: true) { [host = Unchecked(host)] timer in
          if done.value > 0 { return }
          let wakeUps = host.value.wakeUps(inSeconds: 0.5)
          say(wakeUps <= 10 ? "rests" : "\(wakeUps) wake-ups")
          done.count()
          timer.invalidate()
        }
        RunLoop.main.add(timer, forMode: .common)
        say(host.run { done.value == 1 })
        host.settle()
        say(host.wakeUps(inSeconds: 0.2))
      },

      "inside itself": {
        let host = PollHost()
        var ran: [String] = []
        RunLoop.main.perform(when: .nextLoopBegan) {
          RunLoop.main.perform(when: .nextLoopBegan) { ran.append("inner") }
          host.loop.runPass()
          host.loop.prepareToSleep()
          ran.append("outer")
        }
        for _ in 1...3 { host.loop.runPass() }
        say(ran)
        say(host.isReadable)
      },
    ]
  }

  /// A chain of main-queue blocks, each of which adds the next.
  @Sendable private func chain(_ length: Int, _ ran: Counter) {
    DispatchQueue.main.async {
      ran.count()
      if length > 1 { chain(length - 1, ran) }
    }
  }
#endif
