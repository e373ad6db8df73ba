#if os(Linux)
  import Foundation
  import RunLoopHost
  import RunLoopHostSystem
  import RunLoopTasks

  // What wakes the host.
  var waking: Tests {
    [
      "timings": {
        let host = PollHost()
        var ran = 0
        for timing in [RunLoopTask.Timing.idle, .nextLoopBegan, .currentLoopEnded] {
          RunLoop.main.perform(when: timing) {
            say(timing)
            ran += 1
          }
        }
        host.run { ran == 3 }
        // From a handler of the host, outside any run, and without `prepareToSleep()`.
        for timing in RunLoopTask.Timing.allCases {
          host.settle()
          ran = 0
          RunLoop.main.perform { ran += 1 }.when(timing).forModes([.common])
          say(host.run(prepares: false) { ran == 1 })
        }
      },

      // Another thread watches the descriptor, as in libuv's `embed` and GLib's `ownerless_polling`.
      "watched elsewhere": {
        let host = PollHost()
        host.settle()
        let (descriptor, ran) = (host.loop.fileDescriptor, Counter())
        let (isReady, mayWatch) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        elsewhere {
          while true {
            _ = PollHost.isReadable(descriptor, within: -1)
            isReady.signal()
            mayWatch.wait()
          }
        }
        for number in 1...3 {
          elsewhere { RunLoopTaskQueue.main.perform { ran.count() } }
          while ran.value < number {
            isReady.wait()
            host.loop.runPass()
            mayWatch.signal()
          }
        }
        say(ran.value)
      },

      // Level-triggered, and `prepareToSleep()` says the same.
      "descriptor": {
        let ran = Counter()
        RunLoop.main.perform(when: .currentLoopEnded) { ran.count() }
        let host = PollHost()
        say(host.isReadable)
        host.loop.runPass()
        say(ran.value)
        say(fcntl(host.loop.fileDescriptor, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
        host.settle()
        host.sayIsReady()
        RunLoop.main.perform(when: .idle) {}
        host.sayIsReady()
        host.loop.runPass()
        host.sayIsReady()
        RunLoop.main.add(Timer(fire: .now - 1, interval: 0, repeats: false) { _ in ran.count() }, forMode: .default)
        host.sayIsReady()
        host.loop.runPass()
        host.sayIsReady()
        // In vain.
        host.loop.runPass()
        host.sayIsReady()
        // What is not a task.
        DispatchQueue.main.async { ran.count() }
        host.sayIsReady()
        host.settle()
        let source = RunLoopSource<Int> { _ in ran.count() }
        RunLoop.main.add(source, forMode: .default)
        host.settle()
        source.send(1)
        host.sayIsReady()
        host.settle()
        say(ran.value)
        // The end of an interval, after which only a key is forgotten.
        RunLoop.main.perform(coalescedBy: "key", atMostEvery: .milliseconds(1)) {}
        host.settle()  // if it ends within a pass, one more pass releases the key
        usleep(2_000)
        host.sayIsReady()
      },

      "outer epoll": {
        let host = PollHost()
        host.settle()
        var outer = RunLoopHostDescriptors()
        RunLoopHost_open(&outer)
        RunLoopHost_unwatch(outer.epoll, outer.mainQueue)
        RunLoopHost_watch(outer.epoll, host.loop.fileDescriptor)
        say(PollHost.isReadable(outer.epoll))
        elsewhere { RunLoopTaskQueue.main.perform { say("task") } }
        say(PollHost.isReadable(outer.epoll, within: 10_000))
        host.loop.runPass()
        say(PollHost.isReadable(outer.epoll))
      },

      "dates": {
        let host = PollHost()
        host.settle()
        var ran = 0
        let before = host.wakeUps
        for number in 1...20 { RunLoop.main.perform { ran += 1 }.after(.milliseconds(10 * number)) }
        host.run(prepares: false) { ran == 20 }
        say(host.wakeUps - before <= 21)
        // `within` and an earlier `after` are seen without `prepareToSleep()`.
        let limited = RunLoop.main.perform { ran += 1 }.after(.seconds(3_600))
        host.settle()
        limited.within(.milliseconds(5))
        say(host.run(prepares: false) { ran == 21 })
        let delayed = RunLoop.main.perform { ran += 1 }.after(.seconds(3_600))
        host.settle()
        delayed.after(.milliseconds(5))
        say(host.run(prepares: false) { ran == 22 })
      },

      "source": {
        let host = PollHost()
        let batches = Locked<[Int]>([])
        let source = RunLoopSource<Int> { commands in batches.withLock { $0.append(commands.count) } }
        RunLoop.main.add(source, forMode: .common)
        host.settle()
        for number in 1...5 { source.send(number) }
        say(host.run(prepares: false) { batches.withLock { $0.reduce(0, +) } == 5 })
        say(batches.withLock { $0 })
        elsewhere { for number in 1...100 { source.send(number) } }
        say(host.run(prepares: false) { batches.withLock { $0.reduce(0, +) } == 105 })
      },

      // A handler of the host runs the loop itself. What that has left is seen.
      "run by hand": {
        let host = PollHost()
        host.settle()
        var ran: [String] = []
        RunLoop.main.perform(when: .nextLoopBegan) {
          ran.append("first")
          RunLoop.main.perform { ran.append("left") }.when(.idle).after(.milliseconds(300))
        }
        RunLoop.main.runPass()
        say(ran)
        say(host.run(prepares: false) { ran.count == 2 })
        RunLoop.main.perform { ran.append("later") }.after(.milliseconds(20))
        while ran.count < 3 { RunLoop.main.run(until: .now + 0.2) }
        say(ran)
        host.settle()
        say(host.wakeUps(inSeconds: 0.2))
        // Foundation's own kind, which a run in another mode leaves.
        let (other, left) = (RunLoop.Mode("other"), Counter())
        let drives = [{ _ = RunLoop.main.runPass(mode: other) }, { RunLoop.main.runUntilTasksFinish(mode: other) }]
        for (number, drive) in drives.enumerated() {
          RunLoop.main.perform {
            RunLoop.main.perform(inModes: [.default]) { left.count() }
          }.forModes([other])
          host.settle()
          drive()
          say(host.run(seconds: 10, prepares: false) { left.value == number + 1 })
        }
      },

      // The closure of a task that a handler of the host has canceled is released.
      "canceled": {
        let host = PollHost()
        weak var content: Counter?
        let task: RunLoopTask
        do {
          let ran = Counter()
          content = ran
          task = RunLoop.main.perform { ran.count() }.after(.seconds(3_600))
        }
        host.settle()
        task.cancel()
        say(host.run(seconds: 10, prepares: false) { content == nil })
      },
    ]
  }

  extension PollHost {
    fileprivate func sayIsReady() { say([loop.prepareToSleep(), isReadable, isReadable]) }
  }
#endif
