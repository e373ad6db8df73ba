import CoreFoundation
import Foundation
import Testing

@testable import RunLoopTasks

/// Contract, section 5: `RunLoopSource`.
@Suite struct RunLoopSourceTests {
  /// A source that logs what happens to it.
  private func loggedSource(_ log: Log, order: Int = 0) -> RunLoopSource<Int> {
    RunLoopSource(
      order: order, onSchedule: { log("scheduled in \($0.rawValue.suffix(6))") },
      onCancel: { log("cancelled in \($0.rawValue.suffix(6))") }, perform: { log("\($0)") })
  }

  // MARK: delivering

  @Test func commandsComeOnceInOrderInOneBatch() {
    let events = eventsOnLoopThread { log in
      let source = RunLoopSource<Int> { log("\($0)") }
      RunLoop.current.add(source, forMode: .default)
      for number in 1...3 { #expect(source.send(number)) }
      RunLoop.current.runPass()
      RunLoop.current.runPass()
      source.send(4)
      RunLoop.current.runPass()
    }
    #expect(events == ["[1, 2, 3]", "[4]"])
  }

  @Test func commandsSentBeforeItIsAddedWaitForIt() {
    let events = eventsOnLoopThread { log in
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
    }
    #expect(events == ["adding", "[1]", "adding", "[2]"])
  }

  /// The loop would sleep on it.
  @Test func oneThatIsAddedWithCommandsOnTheWayToSleepWakesTheLoop() {
    let events = eventsOnLoopThread { log in
      let keepAlive = ModeHolder()
      let source = RunLoopSource<Int> {
        log("\($0)")
        stopRun()
      }
      source.send(1)
      observe(.beforeWaiting, order: Order.last) { _ in RunLoop.current.add(source, forMode: .default) }
      run()
      withExtendedLifetime(keepAlive) {}
    }
    #expect(events == ["[1]"])
  }

  @Test func sendingWakesASleepingLoop() {
    let loop = LoopThread(running: .default)
    let (log, received) = (Log(), DispatchSemaphore(value: 0))
    let source = RunLoopSource<String> { commands in
      commands.forEach { log($0) }
      received.signal()
    }
    loop.queue.perform { RunLoop.current.add(source, forMode: .default) }
    for number in 1...100 {
      waitUntil { loop.isSleeping }
      source.send("\(number)")
      received.waitOrDie("command \(number)")
    }
    #expect(log.events == (1...100).map(String.init))
    loop.end()
  }

  @Test func itKeepsRunsOfItsModeAlive() {
    onLoopThread {
      let source = RunLoopSource<Int> { _ in }
      #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
      RunLoop.current.add(source, forMode: .default)
      observe(.beforeWaiting) { _ in stopRun() }
      #expect(RunLoop.current.run(mode: .default, before: .distantFuture))
    }
  }

  @Test func sourcesComeByTheirOrder() {
    let events = eventsOnLoopThread { log in
      let sources = [2, 1, 3].map { order in RunLoopSource<Int>(order: order) { _ in log("\(order)") } }
      for source in sources {
        RunLoop.current.add(source, forMode: .default)
        source.send(0)
      }
      RunLoop.current.runPass()
    }
    #expect(events == ["1", "2", "3"])
  }

  @Test func itsOrderIsZeroUnlessSaid() {
    let events = eventsOnLoopThread { log in
      let sources = [
        RunLoopSource<Int>(order: 1) { _ in log("1") }, RunLoopSource { _ in log("0") },
        RunLoopSource(order: -1) { _ in log("-1") },
      ]
      for source in sources {
        RunLoop.current.add(source, forMode: .default)
        source.send(0)
      }
      RunLoop.current.runPass()
    }
    #expect(events == ["-1", "0", "1"])
  }

  /// A run that returns after a source would return for nothing.
  @Test func itIsServedOnlyForCommands() {
    onLoopThread {
      func isServed() -> Bool { CFRunLoopRunInMode(RunLoop.Mode.default.cfMode, 0, true) == .handledSource }
      let source = RunLoopSource<Int> { _ in }
      RunLoop.current.add(source, forMode: .default)
      #expect(!isServed())
      source.send(1)
      #expect(isServed())
      #expect(!isServed())
    }
  }

  @Test func aRunNestedInPerformDeliversWhatCameMeanwhile() {
    let events = eventsOnLoopThread { log in
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
    }
    #expect(events == ["[1] {", "[2] {", "}", "}"])
  }

  @Test func eightThreadsSendEachCommandOnceAndInOrder() {
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
    loop.queue.perform { RunLoop.current.add(source, forMode: .default) }
    for sender in 0..<senders {
      Thread { for number in 0..<commandsEach { source.send((sender, number)) } }.start()
    }
    done.waitOrDie("the last command")
    #expect(received.value.count == senders)
    #expect(received.value.values.allSatisfy { $0 == Array(0..<commandsEach) })
    loop.end()
  }

  // MARK: modes and loops

  @Test func addingAndRemovingCallBack() {
    let events = eventsOnLoopThread { log in
      let source = loggedSource(log)
      RunLoop.current.add(source, forMode: .custom)
      RunLoop.current.add(source, forMode: .custom)  // changes nothing
      RunLoop.current.add(source, forMode: .other)
      RunLoop.current.remove(source, forMode: .custom)
      RunLoop.current.remove(source, forMode: .custom)  // neither
      RunLoop.current.remove(source, forMode: .default)
      source.send(1)
      RunLoop.current.runPass(mode: .custom)
      RunLoop.current.runPass(mode: .other)
    }
    #expect(
      events == ["scheduled in custom", "scheduled in .other", "cancelled in custom", "[1]"])
  }

  @Test func addedTwiceItIsPerformedOnce() {
    let events = eventsOnLoopThread { log in
      let source = RunLoopSource<Int> { log("\($0)") }
      for mode in [RunLoop.Mode.default, .common, .default] { RunLoop.current.add(source, forMode: mode) }
      source.send(1)
      RunLoop.current.runPass()
    }
    #expect(events == ["[1]"])
  }

  @Test(arguments: [RunLoop.Mode.default, .common])
  func takenOutOfOneModeItStaysInTheOther(first: RunLoop.Mode) {
    let events = eventsOnLoopThread { log in
      let source = RunLoopSource<Int> { log("\($0)") }
      RunLoop.current.add(source, forMode: .default)
      RunLoop.current.add(source, forMode: .common)
      source.send(1)
      RunLoop.current.remove(source, forMode: first)
      RunLoop.current.runPass()
      source.send(2)
      RunLoop.current.remove(source, forMode: first == .default ? .common : .default)
      RunLoop.current.runPass()
    }
    #expect(events == ["[1]"])
  }

  /// CoreFoundation goes on to call it: it has looked before which sources were signalled.
  @Test func takenOutOfOneModeByAnotherSourceItIsPerformedInTheOther() {
    let events = eventsOnLoopThread { log in
      let second = RunLoopSource<Int>(order: 1) { log("\($0) in \(RunLoop.current.currentMode!.rawValue.suffix(6))") }
      let first = RunLoopSource<Int> { _ in
        RunLoop.current.remove(second, forMode: .default)
        log("taken out")
      }
      RunLoop.current.add(first, forMode: .default)
      for mode in [RunLoop.Mode.default, .custom] { RunLoop.current.add(second, forMode: mode) }
      first.send(0)
      second.send(1)
      RunLoop.current.runPass()
      RunLoop.current.runPass(mode: .custom)
    }
    #expect(events == ["taken out", "[1] in custom"])
  }

  /// Whichever loop comes first performs; the order holds.
  @Test func itMayBeInSeveralLoops() {
    let loops = (1...3).map { _ in LoopThread(running: .default) }
    let (received, overlaps, performing) = (Box<[Int]>([]), Counter(), Box(false))
    let source = RunLoopSource<Int> { commands in
      if performing.value || commands.isEmpty { overlaps.count() }
      performing.value = true
      received.add(commands)
      performing.value = false
    }
    for loop in loops { loop.queue.perform { RunLoop.current.add(source, forMode: .default) } }
    for number in 1...10_000 { source.send(number) }
    waitUntil { received.value.count == 10_000 }
    #expect(received.value == Array(1...10_000))
    #expect(overlaps.value == 0)
    for loop in loops { loop.end() }
  }

  @Test func eachLoopThatHasItTakesWhatComes() {
    let log = Log()
    let loops = ["one": LoopThread(), "other": LoopThread()]
    let source = RunLoopSource<Int> { log("\($0)") }
    for loop in loops.values { loop.perform { RunLoop.current.add(source, forMode: .default) } }
    for (number, name) in ["one", "other", "one", "other"].enumerated() {
      source.send(number)
      loops[name]!.perform {
        log(name)
        RunLoop.current.runPass()
      }
    }
    for loop in loops.values { loop.end() }
    #expect(log.events == ["one", "[0]", "other", "[1]", "one", "[2]", "other", "[3]"])
  }

  /// One loop performs; another leaves to it what comes meanwhile, and sleeps, until the first is no longer there to do it.
  @Test func anotherLoopTakesOverWhatIsLeft() {
    let (busy, other) = (LoopThread(), LoopThread(running: .default))
    let (hasBegun, mayEnd, hasCome) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource { commands in
      guard commands == [1] else {
        hasCome.signal()
        return
      }
      hasBegun.signal()
      mayEnd.waitOrDie("the test")
      RunLoop.current.remove(source.value!, forMode: .default)
    }
    busy.perform { RunLoop.current.add(source.value!, forMode: .default) }
    source.value!.send(1)
    Thread { busy.perform { RunLoop.current.runPass() } }.start()
    hasBegun.waitOrDie("the first command")
    let (passes, hasHeard) = (Counter(), DispatchSemaphore(value: 0))
    other.queue.perform {
      observe(.afterWaiting) { _ in passes.count() }
      RunLoop.current.add(source.value!, forMode: .default)
      source.value!.send(2)
    }
    other.queue.perform(when: .idle) { hasHeard.signal() }
    hasHeard.waitOrDie("the other loop")
    Thread.sleep(forTimeInterval: 0.01)  // in which a loop that does not sleep makes very many passes
    #expect(passes.value <= 20)
    mayEnd.signal()
    hasCome.waitOrDie("the second command")
    source.value!.invalidate()
    source.value = nil
    for loop in [busy, other] { loop.end() }
  }

  @Test(arguments: [true, false]) func itDoesNotKeepALoopThatHasEnded(isTakenOut: Bool) {
    let source = RunLoopSource<Int> { _ in }
    let scheduler = Box<WeakScheduler?>(nil)
    onLoopThread {
      RunLoop.current.add(source, forMode: .default)
      if isTakenOut { RunLoop.current.remove(source, forMode: .default) }
      scheduler.value = WeakScheduler(Scheduler.current)
    }
    waitUntil { scheduler.value?.scheduler == nil }
    #expect(source.isValid)
  }

  @Test func aLoopKeepsItsSources() {
    let events = eventsOnLoopThread { log in
      weak let kept = {
        let token = Token { log("released") }
        let source = RunLoopSource<Int> { _ in token.use() }
        RunLoop.current.add(source, forMode: .default)
        return source
      }()
      #expect(kept?.isValid == true)
      if let kept { RunLoop.current.remove(kept, forMode: .default) }
      log("removed")
    }
    #expect(events.sorted() == ["released", "removed"])
  }

  // MARK: invalidating

  @Test func invalidatingTakesItOffEveryLoop() {
    let log = Log()
    let loops = [LoopThread(running: .default), LoopThread(running: .default)]
    let source = loggedSource(log)
    let added = DispatchSemaphore(value: 0)
    for loop in loops {
      loop.queue.perform {
        RunLoop.current.add(source, forMode: .custom)
        RunLoop.current.add(source, forMode: .default)
        added.signal()
      }
      added.waitOrDie("adding")
    }
    #expect(source.isValid)
    #expect(log.events == ["scheduled in custom", "scheduled in ltMode", "scheduled in custom", "scheduled in ltMode"])
    source.invalidate()
    source.invalidate()
    #expect(!source.isValid)
    #expect(
      log.events.dropFirst(4).sorted()
        == ["cancelled in custom", "cancelled in custom", "cancelled in ltMode", "cancelled in ltMode"])
    #expect(!source.send(1))
    for loop in loops { loop.end() }
    #expect(log.events.count == 8)
  }

  @Test func anInvalidOneTakesNothing() {
    let events = eventsOnLoopThread { log in
      let source = loggedSource(log)
      source.send(1)
      source.invalidate()
      #expect(!source.send(2))
      RunLoop.current.add(source, forMode: .default)
      #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
    }
    #expect(events == [])
  }

  @Test func invalidatingLetsGoOfTheClosures() {
    let events = eventsOnLoopThread { log in
      let source = Box<RunLoopSource<Int>?>(nil)
      do {
        let token = Token { log("released") }
        source.value = RunLoopSource(onCancel: { _ in token.use() }) { _ in
          token.use()
          source.value!.invalidate()  // captures itself
          log("invalidated")
        }
        RunLoop.current.add(source.value!, forMode: .default)
      }
      source.value!.send(1)
      RunLoop.current.runPass()
      log("end")
    }
    #expect(events == ["invalidated", "released", "end"])
  }

  /// A run in a mode that has become empty by it ends.
  @Test func invalidatingFromAnotherThreadEndsARunThatNothingElseKeepsAlive() {
    onLoopThread {
      let source = RunLoopSource<Int> { _ in }
      RunLoop.current.add(source, forMode: .default)
      observe(.beforeWaiting, order: Order.last) { _ in elsewhere { source.invalidate() } }
      run()
    }
  }

  @Test func takingItOutEndsARunThatNothingElseKeepsAlive() {
    onLoopThread {
      let source = RunLoopSource<Int> { _ in }
      RunLoop.current.add(source, forMode: .default)
      observe(.beforeWaiting, order: Order.last) { _ in RunLoop.current.remove(source, forMode: .default) }
      run()
    }
  }

  @Test func aLoopThatHasEndedTakesNone() {
    let (log, isOver) = (Log(), Box(false))
    onLoopThread {
      let source = loggedSource(log)
      let token = Token {
        RunLoop.current.add(source, forMode: .default)
        isOver.value = true
      }
      RunLoop.current.perform { token.use() }.when(.idle)
    }
    waitUntil { isOver.value }
    #expect(log.events == [])
  }

  @Test func theEndOfALoopCallsBackOnItsThread() {
    let (log, thread) = (Log(), Box<ThreadID?>(nil))
    let source = RunLoopSource<Int>(
      onCancel: { log("cancelled in \($0.rawValue.suffix(6)), \(ThreadID.current == thread.value)") }, perform: { _ in }
    )
    onLoopThread {
      thread.value = .current
      RunLoop.current.add(source, forMode: .custom)
    }
    waitUntil { log.events.count == 1 }
    #expect(log.events == ["cancelled in custom, true"])
    #expect(source.isValid)
    let events = eventsOnLoopThread { log in
      source.send(1)  // waits for the next loop
      RunLoop.current.add(source, forMode: .default)
      log("added")
    }
    #expect(events == ["added"])
  }

  @Test func threadsComeAndGoWhileOthersSendAndInvalidate() {
    let rounds = 200
    let (scheduled, cancelled) = (Counter(), Counter())
    for round in 0..<rounds {
      let source = RunLoopSource<Int>(
        onSchedule: { _ in scheduled.count() }, onCancel: { _ in cancelled.count() }, perform: { _ in })
      let loops = (1...2).map { _ in LoopThread(running: .default) }
      for loop in loops {
        loop.queue.perform {
          RunLoop.current.add(source, forMode: .default)
          RunLoop.current.add(source, forMode: .custom)
        }
      }
      let sent = DispatchSemaphore(value: 0)
      Thread {
        for number in 0..<100 { source.send(number) }
        if round % 3 == 0 { source.invalidate() }
        sent.signal()
      }.start()
      for loop in loops { loop.end() }
      sent.waitOrDie("the sender")
      if round % 3 == 1 { source.invalidate() }
    }
    waitUntil { cancelled.value == scheduled.value }
  }

  // MARK: under attack

  /// CoreFoundation has collected it before, and would call it.
  @Test func oneThatAnotherHasJustTakenOutWaits() {
    let events = eventsOnLoopThread { log in
      let second = RunLoopSource<Int>(order: 1, onCancel: { _ in log("cancelled") }) { _ in log("performed") }
      let first = RunLoopSource<Int> { _ in RunLoop.current.remove(second, forMode: .default) }
      for source in [first, second] {
        RunLoop.current.add(source, forMode: .default)
        source.send(1)
      }
      RunLoop.current.runPass()
      log("adding")
      RunLoop.current.add(second, forMode: .default)
      RunLoop.current.runPass()
    }
    #expect(events == ["cancelled", "adding", "performed"])
  }

  /// A run that is nested in `perform` waits for the next command, which the other loop could take.
  @Test func anotherLoopDoesNotRobANestedRun() {
    for _ in 0..<20 {
      let loops = [LoopThread(running: .default), LoopThread(running: .default)]
      let (hasBegun, hasCome) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let source = RunLoopSource<Int> { commands in
        if commands == [1] {
          hasBegun.signal()
          run()
          hasCome.signal()
        } else {
          stopRun()
        }
      }
      let added = DispatchSemaphore(value: 0)
      for loop in loops {
        loop.queue.perform {
          RunLoop.current.add(source, forMode: .default)
          added.signal()
        }
        added.waitOrDie("adding")
      }
      source.send(1)
      hasBegun.waitOrDie("the first command")
      waitUntil { loops.allSatisfy(\.isSleeping) }
      source.send(2)
      hasCome.waitOrDie("the second command")
      for loop in loops { loop.end() }
    }
  }

  /// Nor does it come in between when that run is over.
  @Test func anotherLoopWaitsUntilAllIsPerformed() {
    let log = Log()
    let (own, other) = (LoopThread(), LoopThread())
    let source = Box<RunLoopSource<Int>?>(nil)
    source.value = RunLoopSource { commands in
      log("\(commands)")
      guard commands == [1] else { return }
      source.value!.send(2)
      RunLoop.current.runPass()
      source.value!.send(3)
      JoinableThread { RunLoop.current.add(source.value!, forMode: .default) }.join()  // whose end changes nothing
      other.perform { RunLoop.current.runPass() }
      log("end of 1")
    }
    for loop in [own, other] { loop.perform { RunLoop.current.add(source.value!, forMode: .default) } }
    source.value!.send(1)
    own.perform { RunLoop.current.runPass() }
    other.perform { RunLoop.current.runPass() }
    source.value!.send(4)
    other.perform { RunLoop.current.runPass() }
    #expect(log.events == ["[1]", "[2]", "end of 1", "[3]", "[4]"])
    source.value!.invalidate()
    source.value = nil
    for loop in [own, other] { loop.end() }
  }

  /// A nested run of another mode consumes the wake-up.
  @Test(arguments: [true, false]) func aCommandIsNotSleptOnAfterANestedRun(inPerform: Bool) {
    let events = eventsOnLoopThread { log in
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
    }
    #expect(events == (inPerform ? ["[0]", "[1]"] : ["[1]"]))
  }

  /// While it is being added to one mode of one loop, it may leave any other.
  @Test func onlyTheModeThatItIsBeingAddedToWaits() {
    let loops = [LoopThread(), LoopThread()]
    let places = loops.map { SchedulerReference($0.queue.scheduler) }.flatMap { loop in
      [RunLoop.Mode.default, .custom].map { SourceAnnouncement(scheduler: loop, mode: $0) }
    }
    for left in places.indices {
      var state = SourceState<Int>(announcements: places)
      #expect(state.leave([places[left].mode], of: places[left].scheduler) == [])
      let haveLeft = places.reversed().map { state.endAnnouncement(of: $0.mode, in: $0.scheduler) }  // the last first
      #expect(haveLeft == places.indices.reversed().map { $0 == left })
      state.announcements = [places[left]]
      for place in places.indices where place != left {
        #expect(state.leave([places[place].mode], of: places[place].scheduler) == [places[place].mode])
      }
    }
    for loop in loops { loop.end() }
  }

  /// Another thread invalidates while the source is being added.
  @Test func onScheduleComesFirst() {
    let log = Log()
    onLoopThread {
      let source = Box<RunLoopSource<Int>?>(nil)
      source.value = RunLoopSource(
        onSchedule: { _ in
          elsewhere { source.value!.invalidate() }
          log("scheduled")
        }, onCancel: { _ in log("cancelled") }, perform: { _ in })
      RunLoop.current.add(source.value!, forMode: .default)
      log("added")
      source.value = nil
    }
    #expect(log.events == ["scheduled", "cancelled", "added"])
  }
}
