#if os(Linux)
  import Dispatch
  import Foundation
  import RunLoopHost
  import RunLoopTasks
  import Synchronization

  func others(_ name: String?) {
    switch name {
    case "nested in a task":
      // As a dialog that a task opens. Tasks, delays, blocks and timers are served there.
      let host = PollHost()
      let events = Events()
      RunLoop.main.perform(when: .nextLoopBegan) {
        RunLoop.main.perform { events.append("delayed") }.after(.milliseconds(10))
        DispatchQueue.main.async { say("block") }
        elsewhere { RunLoopTaskQueue.main.perform { say("post") } }
        let timer = Timer(fire: .now + 0.03, interval: 0, repeats: false) { _ in events.append("timer") }
        RunLoop.main.add(timer, forMode: .common)
        say(host.run(seconds: 5) { events.all.contains("timer") })
        host.settle()
        say(host.wakeUps(inSeconds: 0.2))
      }
      RunLoop.main.perform(when: .nextLoopBegan) { events.append("outer") }
      say(host.run(seconds: 5) { events.all.contains("outer") })
      say(events.all)
      host.settle()
      say(host.wakeUps(inSeconds: 0.2))

    case "nested in a block":
      // The main queue remains ready until the block returns, and the host must not spin on it.
      let host = PollHost()
      let (after, posted) = (Counter(), Counter())
      host.settle()
      let done = Counter()
      DispatchQueue.main.async { [host = Unchecked(host)] in
        let host = host.value
        DispatchQueue.main.async { after.count() }
        elsewhere {
          usleep(50_000)
          RunLoopTaskQueue.main.perform { posted.count() }
        }
        say(host.run(seconds: 5) { posted.value == 1 })
        let wakeUps = host.wakeUps(inSeconds: 0.3)
        say(wakeUps <= 1 ? "rests" : "spins: \(wakeUps)")
        say(after.value)
        done.count()
      }
      say(host.run(seconds: 5) { done.value == 1 })
      say(host.run(seconds: 5) { after.value == 1 })
      DispatchQueue.main.async { after.count() }
      say(host.run(seconds: 5) { after.value == 2 })
      host.settle()
      say(host.wakeUps(inSeconds: 0.2))

    case "nested in a timer":
      let host = PollHost()
      let done = Counter()
      let timer = Timer(fire: .now + 0.01, interval: 0.02, repeats: true) { [host = Unchecked(host)] timer in
        let host = host.value
        guard done.value == 0 else { return }
        let wakeUps = host.wakeUps(inSeconds: 0.5)
        say(wakeUps <= 10 ? "rests" : "spins: \(wakeUps)")
        done.count()
        timer.invalidate()
      }
      RunLoop.main.add(timer, forMode: .common)
      say(host.run(seconds: 5) { done.value == 1 })
      host.settle()
      say(host.wakeUps(inSeconds: 0.2))

    case "inside itself":
      let host = PollHost()
      var ran = 0
      RunLoop.main.perform(when: .nextLoopBegan) {
        RunLoop.main.perform(when: .nextLoopBegan) { ran += 1 }
        host.loop.runPass()
        host.loop.prepareToSleep()
        ran += 10
      }
      for _ in 1...3 { host.loop.runPass() }
      say(ran)
      say(host.isReadable)

    case "run by hand":
      // A handler of the host runs the loop itself. What that has left is seen.
      let host = PollHost()
      host.settle()
      var ran: [String] = []
      RunLoop.main.perform(when: .nextLoopBegan) {
        ran.append("first")
        RunLoop.main.perform { ran.append("left") }.when(.idle).after(.milliseconds(20))
      }
      RunLoop.main.runPass()
      say(ran)
      say(host.run(seconds: 5, prepares: false) { ran.count == 2 })
      RunLoop.main.perform { ran.append("later") }.after(.milliseconds(20))
      RunLoop.main.run(until: .now + 0.1)
      say(ran)
      host.settle()
      say(host.wakeUps(inSeconds: 0.2))

    case "ends":
      // Also while others send. Then the loop is driven as before.
      let (isOver, ended, sent, ran) = (Counter(), Counter(), Counter(), Counter())
      elsewhere {
        while isOver.value == 0 {
          RunLoopTaskQueue.main.perform { ran.count() }
          sent.count()
          usleep(1)
        }
        ended.count()
      }
      for _ in 1...300 {
        let host = PollHost()
        host.run(seconds: 0.001)
      }
      isOver.count()
      RunLoop.main.runUntil { ended.value == 1 && ran.value == sent.value }
      say(ran.value == sent.value)
      let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      do { _ = EmbeddedMainLoop() }
      say(open == (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count))

    case "forked":
      let host = PollHost()
      host.settle()
      let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)
      let child = fork()
      if child == 0 {
        RunLoop.main.perform(when: .idle) {}
        _exit(0)
      }
      var status: Int32 = -1
      waitpid(child, &status, 0)
      say(status)
      say(host.isReadable)

    case "two":
      let first = EmbeddedMainLoop()
      withExtendedLifetime(first) { _ = EmbeddedMainLoop() }

    case "another thread":
      nonisolated(unsafe) let loop = EmbeddedMainLoop()
      elsewhere { loop.runPass() }
      sleep(5)

    case "made elsewhere":
      elsewhere { _ = EmbeddedMainLoop() }
      sleep(5)

    case "no descriptors":
      while dup(0) >= 0 {}
      for _ in 1...Int(CommandLine.arguments[2])! { close(dup(0) < 0 ? nextToClose() : 0) }
      _ = EmbeddedMainLoop()
      say("made")

    case "used in a fork":
      let host = PollHost()
      let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)
      let child = fork()
      if child == 0 { host.loop.runPass() }
      var status: Int32 = -1
      waitpid(child, &status, 0)
      say(status & 0x7f != 0)

    default: fatalError("no such test")
    }
  }

  /// For blocks and timers, which run on the main thread.
  private struct Unchecked: @unchecked Sendable {
    let value: PollHost
    init(_ value: PollHost) { self.value = value }
  }

  nonisolated(unsafe) private var closed: Int32 = 3
  private func nextToClose() -> Int32 {
    closed += 1
    return closed
  }
#endif
