import CoreFoundation
import Foundation
import RunLoopTasks
import Testing

/// A loop whose tasks are all delayed sleeps until the earliest delay ends.
@Suite(.onOwnLoop) struct DelayLivenessTests {
  let log = Log()

  /// The loop wakes once for each delay, in its mode or the common modes.
  @Test func theLoopSleepsUntilTheEarliestDelayEnds() {
    let passes = Counter()
    observe(.beforeWaiting) { _ in passes.count() }
    atOneMoment {
      for number in (1...10).reversed() {
        let modes: [RunLoop.Mode] = [number % 2 == 0 ? .default : .common]
        RunLoop.current.perform { log("\(number)") }.after(.milliseconds(5 * number)).forModes(modes)
      }
    }
    run()
    #expect(log.events == (1...10).map { "\($0)" })
    // A loop that polls makes thousands of passes. A timer may fire a moment early, and each task may cost two passes.
    #expect(passes.value <= 60)
  }

  /// A timer that is due before a run is nested cannot fire in it, and on Linux holds up the timers after it.
  @Test(arguments: [true, false]) func aDelayEndsInARunNestedBesideADueTimer(inTask: Bool) {
    addTimer(after: 0.02)
    @Sendable func nest() {
      RunLoop.current.perform { log.andStop("delayed") }.after(.milliseconds(10))
      run()
      log("nested run returned")
    }
    if inTask {
      RunLoop.current.perform(nest).after(.milliseconds(20))
    } else {
      observeOnce(.afterWaiting, order: Order.app, nest)
    }
    run()
    #expect(log.events == ["delayed", "nested run returned"])
  }

  /// A run that an observer nests in each pass may consume the wake-ups of the outer run, which needs none.
  @Test(arguments: [nil, Order.first, Order.last] as [Int?])
  func aLoopWithOnlyLongDelaysDoesNotWake(orderOfNestedRuns: Int?) {
    let passes = Counter()
    for delay in [3_000, 4_000] {
      RunLoop.current.perform {}.when(.idle).after(.seconds(delay)).within(.seconds(5_000))
    }
    RunLoop.current.perform {}.coalesced(by: 1, atMostEvery: .seconds(3_000))
    if let orderOfNestedRuns { observe(.beforeWaiting, order: orderOfNestedRuns) { _ in poll() } }
    observe(.beforeWaiting) { _ in passes.count() }
    let timer = Timer(timeInterval: 0.05, repeats: true) { _ in stopRun() }  // a nested run may take a stop
    RunLoop.current.add(timer, forMode: .default)
    run()
    #expect(passes.value <= 5)  // A loop that polls makes thousands.
  }

  /// What the lock of a loop is held for: CoreFoundation calls the source while a mode becomes common.
  @Test func theDatesOfALoopWaitForNoLockOfAnother() {
    let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let source = BlockingSource(isHeld, mayGoOn)
    let loop = LoopThread(running: .default) { source.addToCommonModes() }
    loop.queue.perform(after: .seconds(2)) {}
    waitUntil { loop.passes.value >= 2 && loop.isSleeping }  // the alarm is set, and goes off with the lock held
    source.blocks.value = true
    let thread = JoinableThread { loop.makeCommon(.other) }
    isHeld.waitOrDie("the lock")
    RunLoop.current.perform { log("delayed") }.after(.milliseconds(2_200))
    let start = ContinuousClock.now
    _ = RunLoop.current.runUntil(timeout: .seconds(60)) { !log.events.isEmpty }
    // The end of the timeout would wake the loop, too.
    #expect(log.events == ["delayed"] && start.duration(to: .now) < .seconds(60))
    mayGoOn.signal()
    thread.join()
    loop.end()
  }

  private final class BlockingSource: @unchecked Sendable {
    // Unchecked, because the loop's thread adds it, and its parts are `Sendable`.
    let blocks = Box(false)
    private let (isHeld, mayGoOn): (DispatchSemaphore, DispatchSemaphore)

    init(_ isHeld: DispatchSemaphore, _ mayGoOn: DispatchSemaphore) { (self.isHeld, self.mayGoOn) = (isHeld, mayGoOn) }

    func addToCommonModes() {
      var context = CFRunLoopSourceContext()
      context.info = Unmanaged.passUnretained(self).toOpaque()
      context.schedule = { info, _, _ in Unmanaged<BlockingSource>.fromOpaque(info!).takeUnretainedValue().wait() }
      CFRunLoopAddSource(CFRunLoopGetCurrent(), CFRunLoopSourceCreate(nil, 0, &context), RunLoop.Mode.common.cf)
    }

    private func wait() {
      guard blocks.value else { return }
      isHeld.signal()
      mayGoOn.wait()
    }
  }

  @Test func theLoopWakesForAnEarlierDelayFromAnotherThread() {
    let queue = RunLoop.current.taskQueue
    let task = RunLoop.current.perform { log("ran") }.after(.seconds(3_000))
    observeNumbered(.beforeWaiting, order: Order.last) { pass in
      guard pass == 2 else { return CFRunLoopWakeUp(CFRunLoopGetCurrent()) }
      elsewhere { queue.perform(after: .milliseconds(5)) { task.cancel() } }
    }
    run()
    log("\(task.state)")
    #expect(log.events == ["cancelled"])
  }
}
