import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// When and in what order a `RunLoopSource` delivers its commands.
@Suite(.onOwnLoop) struct SourceDeliveryTests {
  let log = Log()

  @Test func commandsAreDeliveredOnceInOrderInOneBatch() {
    let source = RunLoopSource<Int> { log("\($0)") }
    RunLoop.current.add(source, forMode: .default)
    for number in 1...3 { #expect(source.send(number)) }
    RunLoop.current.runPass()
    RunLoop.current.runPass()
    source.send(4)
    RunLoop.current.runPass()
    #expect(log.events == ["[1, 2, 3]", "[4]"])
  }

  @Test func commandsWaitUntilTheSourceIsAdded() {
    let source = RunLoopSource<Int> { log("\($0)") }
    source.send(1)
    RunLoop.current.runPass()
    log("adding")
    RunLoop.current.add(source, forMode: .default)
    RunLoop.current.runPass()
    RunLoop.current.remove(source, forMode: .default)
    source.send(2)
    RunLoop.current.runPass()
    log("adding")
    RunLoop.current.add(source, forMode: .default)
    RunLoop.current.runPass()
    #expect(log.events == ["adding", "[1]", "adding", "[2]"])
  }

  @Test func addingASourceWithCommandsAsTheLoopGoesToSleepWakesTheLoop() {
    keepAlive(.default)
    let source = RunLoopSource<Int> {
      log("\($0)")
      stopRun()
    }
    source.send(1)
    observe(.beforeWaiting, order: Order.last) { _ in RunLoop.current.add(source, forMode: .default) }
    run()
    #expect(log.events == ["[1]"])
  }

  @Test func sendingWakesASleepingLoop() {
    let loop = LoopThread(running: .default)
    let (log, received) = (Log(), DispatchSemaphore(value: 0))
    let source = RunLoopSource<String> { commands in
      commands.forEach { log($0) }
      received.signal()
    }
    loop.queue.addAndWait(source)
    for number in 1...100 {
      waitUntil { loop.isSleeping }
      source.send("\(number)")
      received.waitOrDie("command \(number)")
    }
    #expect(log.events == (1...100).map(String.init))
    loop.end()
  }

  @Test func aSourceKeepsRunsOfItsModeAlive() {
    let source = RunLoopSource<Int> { _ in }
    #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
    RunLoop.current.add(source, forMode: .default)
    observe(.beforeWaiting) { _ in stopRun() }
    #expect(RunLoop.current.run(mode: .default, before: .distantFuture))
  }

  @Test func sourcesArePerformedByOrderWhichIsZeroByDefault() {
    let sources = [
      RunLoopSource<Int>(order: 2) { _ in log("2") }, RunLoopSource { _ in log("0") },
      RunLoopSource(order: 1) { _ in log("1") }, RunLoopSource(order: -1) { _ in log("-1") },
    ]
    for source in sources {
      RunLoop.current.add(source, forMode: .default)
      source.send(0)
    }
    RunLoop.current.runPass()
    #expect(log.events == ["-1", "0", "1", "2"])
  }

  /// A run that returns after handling a source would return without a reason.
  @Test func theLoopServesASourceOnlyIfItHasCommands() {
    func isServed() -> Bool { CFRunLoopRunInMode(RunLoop.Mode.default.cf, 0, true) == .handledSource }
    let source = RunLoopSource<Int> { _ in }
    RunLoop.current.add(source, forMode: .default)
    #expect(!isServed())
    source.send(1)
    #expect(isServed())
    #expect(!isServed())
  }

  @Test func commandsOfEightThreadsAreDeliveredOnceAndInOrder() {
    let (senders, commandsEach) = (8, 10_000)
    let loop = LoopThread(running: .default)
    let (received, done) = (Box<[Int: [Int]]>([:]), DispatchSemaphore(value: 0))
    let count = Counter()
    let source = RunLoopSource<(sender: Int, number: Int)> { commands in
      var all = received.value
      for command in commands { all[command.sender, default: []].append(command.number) }
      received.value = all
      for _ in commands where count.count() == senders * commandsEach { done.signal() }
    }
    loop.queue.addAndWait(source)
    for sender in 0..<senders {
      Thread { for number in 0..<commandsEach { source.send((sender, number)) } }.start()
    }
    done.waitOrDie("the last command")
    #expect(received.value.count == senders)
    #expect(received.value.values.allSatisfy { $0 == Array(0..<commandsEach) })
    loop.end()
  }

  // MARK: nested runs

  @Test func aRunNestedInPerformDeliversLaterCommands() {
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource { commands in
      log("\(commands) {")
      if commands == [1] {
        source.value!.send(2)
        RunLoop.current.runPass()
      }
      log("}")
    }
    RunLoop.current.add(source.value!, forMode: .default)
    source.value!.send(1)
    RunLoop.current.runPass()
    source.value!.invalidate()
    #expect(log.events == ["[1] {", "[2] {", "}", "}"])
  }

  /// A nested run in another mode consumes the wake-up.
  @Test(arguments: [true, false]) func theLoopDoesNotSleepOnACommandSentInANestedRun(inPerform: Bool) {
    let (keepAlive, nested) = (ModeHolder(), ModeHolder(.custom))
    let source = RunLoopSource<Int> { commands in
      log("\(commands)")
      if commands == [0] { run() } else { stopRun() }
    }
    RunLoop.current.add(source, forMode: .default)
    let once = Counter()
    observe(.afterWaiting, in: .custom) { _ in stopRun() }
    observe(.beforeWaiting, order: Order.frame) { _ in
      guard once.count() == 1 else { return }
      observe(.beforeWaiting, in: .custom) { _ in elsewhere { source.send(1) } }
      run(.custom)
    }
    if inPerform {
      source.send(0)
      RunLoop.current.runPass()
    } else {
      run()
    }
    withExtendedLifetime((keepAlive, nested)) {}
    #expect(log.events == (inPerform ? ["[0]", "[1]"] : ["[1]"]))
  }
}
