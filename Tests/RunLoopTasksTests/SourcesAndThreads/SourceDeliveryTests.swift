import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// When and in what order a `RunLoopSource` delivers its commands.
@Suite(.onOwnLoop) struct SourceDeliveryTests {
  let log = Log()

  /// The nested run consumes the wake-up.
  @Test(arguments: [true, false]) func aSourceThatIsAddedBeforeASleepDelivers(isSentBefore: Bool) {
    RunLoop.current.runPass()  // the first use of the package is outside the run
    let source = RunLoopSource<Int> { _ in log.andStop("delivered") }
    keepAlive(.default)
    observeOnce(.beforeWaiting, order: Order.app) {
      if isSentBefore { source.send(1) }
      RunLoop.current.add(source, forMode: .default)
      source.send(2)
      RunLoop.current.runPass(mode: .other)
    }
    run()
    #expect(log.events == ["delivered"])
  }

  @Test func commandsWaitUntilTheSourceIsAdded() {
    let source = RunLoopSource<Int> { log("\($0)") }
    for number in 1...2 {
      source.send(number)
      RunLoop.current.runPass()
      log("adding")
      RunLoop.current.add(source, forMode: .default)
      RunLoop.current.runPass()
      RunLoop.current.remove(source, forMode: .default)
    }
    #expect(log.events == ["adding", "[1]", "adding", "[2]"])
  }

  @Test func addingASourceWithCommandsAsTheLoopGoesToSleepWakesTheLoop() {
    keepAlive(.default)
    let source = RunLoopSource<Int> { log.andStop("\($0)") }
    source.send(1)
    observe(.beforeWaiting, order: Order.last) { _ in RunLoop.current.add(source, forMode: .default) }
    run()
    #expect(log.events == ["[1]"])
  }

  @Test func sendingWakesASleepingLoop() {
    let loop = LoopThread(running: .default)
    let received = DispatchSemaphore(value: 0)
    let source = RunLoopSource<Int> { commands in
      log("\(commands)")
      received.signal()
    }
    loop.queue.addAndWait(source)
    for number in 1...100 {
      waitUntil { loop.isSleeping }
      source.send(number)
      received.waitOrDie("command \(number)")
    }
    #expect(log.events == (1...100).map { "[\($0)]" })
    loop.end()
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

  @Test func theLoopDeliversInOneBatchATurnAllThatWait() {
    let source = addSource { source, commands in
      log("\(commands)")
      if commands.contains(1) { for command in 4...5 { source.send(command) } }
    }
    for command in 1...3 { #expect(source.send(command)) }
    for _ in 1...3 { RunLoop.current.runPass() }
    #expect(log.events == ["[1, 2, 3]", "[4, 5]"])
  }

  // MARK: passes driven by hand

  @Test func aPassDeliversOneBatchAndRunsTheTasksOfAllTimings() {
    let source = addSource { source, commands in
      log("\(commands)")
      source.send(3)
    }
    for command in 1...2 { source.send(command) }
    for timing in RunLoopTask.Timing.allCases { RunLoop.current.perform { log("\(timing)") }.when(timing) }
    RunLoop.current.runPass()
    log("next")
    RunLoop.current.advance(by: .zero)  // makes two passes
    #expect(log.events == ["[1, 2]", "currentLoopEnded", "nextLoopBegan", "idle", "next", "[3]", "[3]"])
  }

  enum Driving: CaseIterable { case run, passThenRun, stoppedPasses, runNestedInAPass }

  /// Each batch sends the next command, and nothing but that wakes the loop or signals the source.
  @Test(arguments: Driving.allCases, [RunLoop.Mode.default, .common, .custom])
  func whatAPassLeavesIsDelivered(_ driving: Driving, modeOfTheSource: RunLoop.Mode) {
    let mode: RunLoop.Mode = modeOfTheSource == .common ? .default : modeOfTheSource
    let source = addSource(in: modeOfTheSource) { source, commands in
      log("\(commands)")
      if commands != [5] { source.send(commands[0] + 1) }
      if driving == .stoppedPasses || commands == [5] { stopRun() }
    }
    elsewhere { source.send(1) }
    switch driving {
    case .run: run(mode)
    case .passThenRun:
      RunLoop.current.runPass(mode: mode)
      run(mode)
    case .stoppedPasses: for _ in 1...5 { RunLoop.current.runPass(mode: mode) }
    case .runNestedInAPass:
      RunLoop.current.perform { run(mode) }.when(.currentLoopEnded).forModes(mode)
      RunLoop.current.runPass(mode: mode)
    }
    #expect(log.events == (1...5).map { "[\($0)]" })
  }

  /// It ends before the loop would sleep.
  @Test func whatAPassLeavesThatAnotherSourceStopsIsDelivered() {
    let other = addSource { _, _ in stopRun() }
    let source = addSource(order: -1) { source, commands in
      log("\(commands)")
      other.send(0)
      if commands == [1] { source.send(2) }
    }
    source.send(1)
    RunLoop.current.runPass()
    poll()
    #expect(log.events == ["[1]", "[2]"])
  }

  // MARK: nested runs

  @Test func aRunNestedInPerformDeliversTheNextCommand() {
    let source = addSource { source, commands in
      log("\(commands) {")
      if commands == [1] {
        source.send(2)
        RunLoop.current.runPass()
      }
      log("}")
    }
    source.send(1)
    RunLoop.current.runPass()
    #expect(log.events == ["[1] {", "[2] {", "}", "}"])
  }

  /// A nested run in another mode consumes the wake-up.
  @Test(arguments: [true, false]) func theLoopDoesNotSleepOnACommandSentInANestedRun(inPerform: Bool) {
    keepAlive(.default, .custom)
    let source = addSource { _, commands in
      log("\(commands)")
      if commands == [0] { run() } else { stopRun() }
    }
    observe(.afterWaiting, in: .custom) { _ in stopRun() }
    observeOnce(.beforeWaiting, order: Order.frame) {
      observe(.beforeWaiting, in: .custom) { _ in elsewhere { source.send(1) } }
      run(.custom)
    }
    if inPerform {
      source.send(0)
      RunLoop.current.runPass()
    } else {
      run()
    }
    #expect(log.events == (inPerform ? ["[0]", "[1]"] : ["[1]"]))
  }

  private typealias Command = (sender: Int, number: Int)

  /// The commands of each thread keep their order.
  @Test func theCommandsOfManyThreadsAreDeliveredOnceAndInOrder() {
    let (senders, commandsEach) = (8, 2_000)
    let loop = LoopThread(running: .default)
    let (received, mistakes, performing) = (Box<[Command]>([]), Counter(), Box(false))
    let source = RunLoopSource<Command> { commands in
      if performing.value || commands.isEmpty { mistakes.count() }
      performing.value = true
      received.add(commands)
      performing.value = false
    }
    loop.queue.addAndWait(source)
    for sender in 0..<senders {
      Thread { for number in 0..<commandsEach { source.send((sender, number)) } }.start()
    }
    waitUntil { received.value.count >= senders * commandsEach }
    for sender in 0..<senders {
      #expect(received.value.filter { $0.sender == sender }.map(\.number) == Array(0..<commandsEach))
    }
    #expect(mistakes.value == 0)
    loop.end()
  }
}
