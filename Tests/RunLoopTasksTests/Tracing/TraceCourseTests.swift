import CoreFoundation
import Foundation
import RunLoopTasks
import RunLoopTracing
import RunLoopVirtualTime
import Testing

/// Neither recordings nor reporters change what runs when, however the loop is driven.
@Suite(.onOwnLoop) struct TraceCourseTests {
  enum Drive: CaseIterable {
    case runPass, runUntil, runUntilTasksFinish, advance, runTasks, runAgain, poll, oneRun, nested
  }

  @Test(arguments: Drive.allCases) func theCourseIsTheSame(drive: Drive) {
    let plain = onLoopThread { course(drive, isWatched: false) }
    let watched = onLoopThread { course(drive, isWatched: true) }
    #expect(plain.count > 8)
    #expect(watched == plain)
  }
}

/// All activities and tasks of a loop on its own thread.
private func course(_ drive: TraceCourseTests.Drive, isWatched: Bool) -> [String] {
  let loop = RunLoop.current
  loop.taskQueue.budget = .seconds(1_000)  // because slices depend on how fast the machine is
  let log = Log()
  for mode in [RunLoop.Mode.default, .custom] {
    observe(.all, in: mode) { log("\(mode.shortName) \($0)") }
  }
  let trace = isWatched ? loop.trace(capacity: 20) : nil
  let reporter = isWatched ? loop.reportHangs(over: .nanoseconds(1)) { _ in } : nil
  let source = addSource(in: .common) { source, commands in
    log("batch \(commands)")
    if commands.contains(1) { source.send(3) }
  }
  for number in 1...2 { source.send(number) }
  for timing in RunLoopTask.Timing.allCases {
    loop.perform {
      log("\(timing)")
      RunLoop.current.perform { log("second \(timing)") }.when(timing)
    }.when(timing)
    loop.perform { log("limit \(timing)") }.when(timing).within(.zero).order(-1)
    loop.perform(when: timing, coalescedBy: "key") { log("keyed \(timing)") }
    loop.perform {}.when(timing).cancel()
  }
  let isNested = drive == .nested
  loop.perform {
    log("last")
    if isNested { RunLoop.current.runPass(mode: .custom) }
    RunLoop.current.perform { log("custom") }.when(.idle).forModes(.custom)
  }.when(.idle).after(drive == .advance ? .seconds(1) : .zero)

  switch drive {
  case .runPass, .nested: for _ in 1...4 { loop.runPass() }
  case .runUntil:
    let left = Box(6)
    _ = loop.runUntil(timeout: .seconds(300)) {
      left.withLock {
        $0 -= 1; return $0 < 0
      }
    }
  case .runUntilTasksFinish: loop.runUntilTasksFinish()
  case .advance: loop.advance(by: .seconds(2))
  case .runTasks:
    for timing in RunLoopTask.Timing.allCases { loop.runTasks(of: timing) }
    loop.runPass()
  case .runAgain, .oneRun:
    let isOver = Box(false)
    loop.perform {
      isOver.value = true
      CFRunLoopStop(CFRunLoopGetCurrent())
    }.when(.idle).order(5).within(.seconds(300))
    if drive == .oneRun { CFRunLoopRun() }
    while !isOver.value { _ = loop.run(mode: .default, before: .distantFuture) }
  case .poll: for _ in 1...6 { loop.run(until: .distantPast) }
  }
  log("left \(loop.taskQueue.count)")
  withExtendedLifetime((trace, reporter, source)) {}
  return log.events
}
