import CoreFoundation
import Foundation

@testable import RunLoopTasks

// What else happens in a loop, and what is observed of it.
extension Execution {
  /// After what scripts observe, and before the last observer of the package.
  private static let late = 3_000_000
  /// The package's own.
  private static let taskOrder = 1_998_000

  /// While the clock is being advanced, ends of delays may be microseconds apart, for which the package sets timers.
  private static let shortestSleep: CFTimeInterval = 0.01

  func observe(_ activity: RunLoop.Activity, _ mode: RunLoop.Mode, _ order: Int, _ body: [Step]) {
    let observer = LoopObserver(activity, order: order, repeats: false) { [unowned self] _ in perform(body) }
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer.cf, mode.cfMode)
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
    if activity == .afterWaiting, stage == .begins { noteSleep(in: mode) }
    record(.activity(activity, mode, stage))
    if activity == .entry, stage == .begins { alarms.append(nil) }
    if stage == .begins, activity == .entry || activity == .afterWaiting { noteAlarms(in: mode) }
    if activity == .exit, stage == .ends { alarms.removeLast() }
    if activity == .beforeWaiting, stage == .ends { beforeSleep(in: mode) }
  }

  // MARK: Sleep

  /// Looks, at the very end of `beforeWaiting`, for the timer that wakes the loop.
  ///
  /// Of the observers with one order the last to be added is called last. The package may have added its own since the
  /// last time.
  private func noteAlarms(in mode: RunLoop.Mode) {
    let loop: CFRunLoop = CFRunLoopGetCurrent()
    let observer =
      alarmObservers[mode]
      ?? LoopObserver(.beforeWaiting, order: .max) { [unowned self] _ in
        guard !isOver else { return }
        let date = CFRunLoopGetNextTimerFireDate(CFRunLoopGetCurrent(), mode.cfMode)
        alarms[alarms.count - 1] = date > CFAbsoluteTimeGetCurrent() + Self.shortestSleep ? date : nil
      }
    alarmObservers[mode] = observer
    CFRunLoopRemoveObserver(loop, observer.cf, mode.cfMode)
    CFRunLoopAddObserver(loop, observer.cf, mode.cfMode)
  }

  /// Records whether the loop has slept until something woke it that it should not have waited for.
  private func noteSleep(in mode: RunLoop.Mode) {
    if watch.takeBroken() { record(.slept(mode)) }
    let alarm = alarms[alarms.count - 1].take()
    if let alarm, CFAbsoluteTimeGetCurrent() >= alarm { record(.letTimePass) }
  }
}
