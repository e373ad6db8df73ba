#if os(Linux)
  import Dispatch
  import Foundation
  import RunLoopHost
  import RunLoopHostSystem
  import RunLoopTasks
  import Synchronization

  // The main run loop inside a loop of `poll`. Prints one event a line, which `PollHostTests` compares. What it tests is
  // that of other projects' tests of such embeddings, too: libuv's `embed`, GLib's `ownerless_polling`, and those of
  // Chromium's message pump for GLib.

  func say(_ event: Any) { print(event) }

  final class Events: Sendable {
    private let events = Mutex<[String]>([])
    var all: [String] { events.withLock { $0 } }
    func append(_ event: String) { events.withLock { $0.append(event) } }
  }

  final class Counter: Sendable {
    private let number = Atomic(0)
    var value: Int { number.load(ordering: .acquiring) }
    func count() { number.add(1, ordering: .releasing) }
  }

  func elsewhere(_ body: @escaping @Sendable () -> Void) { Thread.detachNewThread(body) }

  switch CommandLine.arguments.dropFirst().first {
  case "timings":
    let host = PollHost()
    var left = 3
    for timing in [RunLoopTask.Timing.idle, .nextLoopBegan, .currentLoopEnded] {
      RunLoop.main.perform(when: timing) {
        say(timing)
        left -= 1
      }
    }
    host.run { left == 0 }
    // From a handler of the host, outside any run, and without `prepareToSleep()`.
    host.settle()
    var ran = 0
    for timing in RunLoopTask.Timing.allCases {
      RunLoop.main.perform { ran += 1 }.when(timing).forModes([.common])
      say(host.run(prepares: false) { ran == 1 })
      ran = 0
      host.settle()
    }

  case "posts":
    // One post to a sleeping host, one wake-up.
    let host = PollHost()
    host.settle()
    var wakeUps: [Int: Int] = [:]
    for _ in 1...200 {
      let (ran, before) = (Counter(), host.wakeUps)
      elsewhere {
        usleep(500)
        RunLoopTaskQueue.main.perform { ran.count() }
      }
      host.run { ran.value == 1 }
      host.run(seconds: 0.001)
      wakeUps[host.wakeUps - before, default: 0] += 1
    }
    say(wakeUps)

  case "race":
    // Posts come at any moment around `prepareToSleep()` and `poll`.
    let host = PollHost()
    let (ran, count) = (Counter(), Int(CommandLine.arguments[2])!)
    elsewhere {
      for number in 1...count {
        RunLoopTaskQueue.main.perform(when: .allCases[number % 3]) { ran.count() }
        while ran.value < number { sched_yield() }
      }
    }
    say(host.run(seconds: 60) { ran.value == count })

  case "idle second":
    let host = PollHost()
    RunLoop.main.perform {}.after(.seconds(3_600))
    let timer = Timer(fire: .now + 3_600, interval: 1, repeats: true) { _ in }
    RunLoop.main.add(timer, forMode: .common)
    let debounced = RunLoop.main.perform {}.after(.seconds(1_000)).coalesced(by: 1)
    host.settle()
    say(host.wakeUps(inSeconds: 1))
    debounced.cancel()

  case "dates":
    let host = PollHost()
    host.settle()
    // Each date costs one wake-up, and `within` and an earlier `after` are seen without `prepareToSleep()`.
    var ran = 0
    var before = host.wakeUps
    for number in 1...20 { RunLoop.main.perform { ran += 1 }.after(.milliseconds(10 * number)) }
    host.run(prepares: false) { ran == 20 }
    say(ran)
    say(host.wakeUps - before <= 21)
    let task = RunLoop.main.perform { ran += 1 }.after(.seconds(3_600))
    host.settle()
    task.within(.milliseconds(5))
    say(host.run(seconds: 5, prepares: false) { ran == 21 })
    let other = RunLoop.main.perform { ran += 1 }.after(.seconds(3_600))
    host.settle()
    other.after(.milliseconds(5))
    say(host.run(seconds: 5, prepares: false) { ran == 22 })
    // A timer of Foundation that a handler adds is seen by `prepareToSleep()`.
    host.settle()
    let ticks = Counter()
    before = host.wakeUps
    let timer = Timer(fire: .now + 0.01, interval: 0.01, repeats: true) { _ in ticks.count() }
    RunLoop.main.add(timer, forMode: .common)
    say(host.run(seconds: 5) { ticks.value == 50 })
    say(host.wakeUps - before)
    timer.invalidate()

  case "main queue":
    let host = PollHost()
    host.settle()
    let (blocks, hops) = (Counter(), Counter())
    var wakeUps: [Int: Int] = [:]
    for number in 1...100 {
      let before = host.wakeUps
      elsewhere {
        usleep(300)
        DispatchQueue.main.async { blocks.count() }
      }
      host.run { blocks.value == number }
      host.run(seconds: 0.001)
      wakeUps[host.wakeUps - before, default: 0] += 1
    }
    say(wakeUps)
    Task { @MainActor in
      for _ in 1...100 {
        await Task.detached {}.value
        hops.count()
      }
    }
    say(host.run { hops.value == 100 })

  case "source":
    // Commands that a batch limit has left come one batch a pass.
    let host = PollHost()
    let batches = Mutex<[Int]>([])
    let source = RunLoopSource<Int>(batchLimit: 2) { commands in batches.withLock { $0.append(commands.count) } }
    RunLoop.main.add(source, forMode: .common)
    host.settle()
    for number in 1...5 { source.send(number) }
    say(host.run(seconds: 5, prepares: false) { batches.withLock { $0.reduce(0, +) } == 5 })
    say(batches.withLock { $0 })
    elsewhere { for number in 1...100 { source.send(number) } }
    say(host.run(seconds: 5, prepares: false) { batches.withLock { $0.reduce(0, +) } == 105 })

  case "idle slices":
    // The host's own events get their turns beside idle work.
    let host = PollHost()
    var (ran, longest, last) = (0, 0.0, Date())
    for _ in 1...200 {
      RunLoop.main.perform(when: .nextLoopBegan) {
        usleep(1_000)
        ran += 1
      }.when(.idle)
    }
    host.run {
      ran == 200
    } handler: {
      longest = max(longest, -last.timeIntervalSinceNow)
      last = Date()
    }
    say(longest < 0.05)
    say(host.wakeUps > 20)
    FileHandle.standardError.write(Data("\(longest) s at most, \(host.wakeUps) passes\n".utf8))

  case "outer epoll":
    let host = PollHost()
    host.settle()
    var all = RunLoopHostDescriptors()
    RunLoopHost_open(&all)
    let outer = all.epoll
    RunLoopHost_unwatch(outer, all.mainQueue)
    RunLoopHost_watch(outer, host.loop.fileDescriptor)
    say(PollHost.isReadable(outer))
    elsewhere { RunLoopTaskQueue.main.perform { say("task") } }
    say(PollHost.isReadable(outer, within: 5_000))
    host.loop.runPass()
    say(PollHost.isReadable(outer))

  case let name: others(name)
  }
#endif
