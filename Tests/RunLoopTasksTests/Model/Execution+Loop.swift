import CoreFoundation
import Foundation

@testable import RunLoopTasks

// What else happens in a loop, and what is observed of it.
extension Execution {
  /// After what scripts observe, and before the last observer of the package.
  private static let late = 3_000_000
  /// The package's own.
  private static let taskOrder = 1_998_000

  func observe(_ activity: RunLoop.Activity, _ mode: RunLoop.Mode, _ order: Int, _ body: [Step]) {
    let observer = CFRunLoopObserverCreateWithHandler(nil, CFOptionFlags(activity.rawValue), false, order) {
      [unowned self] _, _ in perform(body)
    }
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, mode.cfMode)
  }

  func addTimer(_ mode: RunLoop.Mode, _ body: [Step]) {
    timersLeft[mode, default: 0] += 1
    let timer = Timer(fire: .distantPast, interval: 0, repeats: false) { [unowned self] _ in
      timersLeft[mode]! -= 1
      keptAlive[mode, default: 0] += 1
      perform(body)
      keptAlive[mode]! -= 1
      outerRunsNeedWakeUp()
    }
    timers.append(timer)
    RunLoop.current.add(timer, forMode: mode)
  }

  func addSource(_ mode: RunLoop.Mode, _ body: [Step]) {
    sourcesLeft[mode, default: 0] += 1
    let index = sources.count
    let source = Source(in: mode) { [unowned self] in
      sources[index].remove()
      sourcesLeft[mode]! -= 1
      outerRunsNeedWakeUp()
      perform(body)
    }
    sources.append(source)
    source.signal()
    needWakeUp()
  }

  func makeCommon(_ mode: RunLoop.Mode) {
    CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), mode.cfMode)
    record(.becameCommon(mode))
  }

  func observeActivities() {
    let stages: [(Stage, Int)] = [
      (.begins, .min), (.tasks, Self.taskOrder - 1), (.tasksOver, Self.taskOrder + 1), (.ends, Self.late),
    ]
    for mode in Self.modes {
      for (stage, order) in stages {
        RunLoopTasksTests.observe(.ofPass, in: mode, order: order) { [unowned self] in note($0, mode, stage) }
      }
    }
  }

  private func note(_ activity: RunLoop.Activity, _ mode: RunLoop.Mode, _ stage: Stage) {
    guard !isOver else { return }
    // The loop has slept until something woke it that it should not have waited for.
    if activity == .afterWaiting, stage == .begins, watch.takeBroken() { record(.slept(mode)) }
    record(.activity(activity, mode, stage))
    if activity == .beforeWaiting, stage == .ends { beforeSleep(in: mode) }
  }
}
