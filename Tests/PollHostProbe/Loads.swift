#if os(Linux)
  import Foundation
  import RunLoopTasks

  // How often the host wakes.
  var loads: Tests {
    [
      "posts": {
        let host = PollHost()
        host.sayWakeUps { ran in RunLoopTaskQueue.main.perform { ran.count() } }
      },

      "main queue": {
        let host = PollHost()
        host.sayWakeUps { ran in DispatchQueue.main.async { ran.count() } }
        let hops = Counter()
        Task { @MainActor in
          for _ in 1...100 {
            await Task.detached {}.value
            hops.count()
          }
        }
        say(host.run { hops.value == 100 })
      },

      // `prepareToSleep()` sees a timer that a handler of the host has added.
      "ticks": {
        let host = PollHost()
        host.settle()
        let ticks = Counter()
        let timer = Timer(fire: .now + 0.01, interval: 0.01, repeats: true) { _ in ticks.count() }
        RunLoop.main.add(timer, forMode: .common)
        let before = host.wakeUps
        host.run { ticks.value >= 50 }
        say("\(host.wakeUps - before) \(ticks.value)")
      },

      // Each post comes when the host has prepared to sleep and does not sleep yet, as many as a busy machine has time
      // for.
      "before poll": {
        let host = PollHost()
        host.settle()
        let (ran, end) = (Counter(), ContinuousClock.now + raceTime)
        let (mayPost, hasPosted) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        elsewhere {
          for number in 1... {
            mayPost.wait()
            RunLoopTaskQueue.main.perform(when: .allCases[number % 3]) { ran.count() }
            hasPosted.signal()
          }
        }
        for number in 1... {
          if end < .now { return say("one wake-up for each") }
          let hadWork = host.loop.prepareToSleep()
          mayPost.signal()
          hasPosted.wait()
          let wakes = PollHost.isReadable(host.loop.fileDescriptor, within: 10_000)
          host.loop.runPass()
          if hadWork || !wakes || ran.value != number || host.isReadable {
            return say((number, hadWork, wakes, ran.value, host.isReadable))
          }
        }
      },

      // Posts come at any moment around `prepareToSleep()` and `poll`.
      "race": {
        let host = PollHost()
        let (ran, isOver, end) = (Counter(), Counter(), ContinuousClock.now + raceTime)
        elsewhere {
          for number in 1... {
            RunLoopTaskQueue.main.perform(when: .allCases[number % 3]) { ran.count() }
            while ran.value < number { sched_yield() }
            if end < .now { return _ = RunLoopTaskQueue.main.perform { isOver.count() } }
          }
        }
        say(host.run(seconds: 200) { isOver.value == 1 })
      },

      "idle second": {
        let host = PollHost()
        RunLoop.main.perform {}.after(.seconds(3_600))
        RunLoop.main.perform {}.after(.seconds(1_000)).coalesced(by: 1)
        RunLoop.main.add(Timer(fire: .now + 3_600, interval: 1, repeats: true) { _ in }, forMode: .common)
        let canceled = RunLoop.main.perform {}.after(.milliseconds(300))
        // Another mode is not served.
        RunLoop.main.perform { say("served") }.when(.idle).forModes([RunLoop.Mode("other")])
        RunLoop.main.add(Timer(fire: .now + 0.2, interval: 0.2, repeats: true) { _ in }, forMode: RunLoop.Mode("other"))
        host.settle()
        canceled.cancel()
        host.settle()  // it is released in a pass
        say(host.wakeUps(inSeconds: 1))
      },

      "idle slices": {
        let host = PollHost()
        var ran = 0
        for _ in 1...200 {
          RunLoop.main.perform {
            usleep(1_000)
            ran += 1
          }.when(.idle)
        }
        var (before, inVain) = ((wakeUps: 0, ran: 0), 0)
        host.run {
          ran == 200
        } handler: {
          if host.wakeUps > before.wakeUps, ran == before.ran { inVain += 1 }
          before = (host.wakeUps, ran)
        }
        say("\(host.wakeUps) \(inVain)")
      },
    ]
  }

  extension PollHost {
    /// Lets another thread cause something a hundred times while the host sleeps, and says how often and how many of
    /// these cost one wake-up.
    fileprivate func sayWakeUps(of cause: @escaping @Sendable (Counter) -> Void) {
      settle()
      var single = 0
      for _ in 1...100 {
        let (ran, before) = (Counter(), wakeUps)
        elsewhere {
          usleep(500)
          cause(ran)
        }
        run { ran.value == 1 }
        run(seconds: 0.001)
        if wakeUps - before == 1 { single += 1 }
      }
      say("100 \(single)")
    }
  }
#endif
