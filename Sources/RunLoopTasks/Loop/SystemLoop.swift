import CoreFoundation
import Foundation

/// The order of the tasks among the observers of an activity.
///
/// Tasks run after an app's own observers, most of which have order 0. A task that such an observer schedules for the
/// end of the pass therefore still runs in that pass. Tasks run before UIKit prepares (1,999,000) and Core Animation's
/// observer commits (2,000,000).
private let taskOrder = 1_998_000

/// A `CFRunLoop` as the engine sees it.
///
/// A run loop does not call an observer that it is already calling, so a run that is nested in a task needs another
/// observer. There is one for each level of nesting, and always at least one more than there are in use.
final class SystemLoop: LoopDriver, @unchecked Sendable {
  // Unchecked, because `scheduler` is set before the loop can call back and then constant, and the lock of
  // the inbox guards `observedModes` and `observers`. The other variables belong to the loop's own
  // thread; `begin` sets `levels` before it adds the observer that reads it.

  /// The number of unused observers of tasks that are kept, besides the one for the next level. Few runs nest deeper.
  private static let spareObservers = 3

  let cf: CFRunLoop
  /// The scheduler invalidates the observers before it goes, so they need not retain it.
  private var scheduler: Unmanaged<Scheduler>?
  /// The last and the first observer of the scheduler, and one of tasks for each level.
  private var observers: [LoopObserver] = []
  private var observedModes: [CFMode] = []
  /// Shows which modes are common, and keeps their runs alive, until the engine knows of them: it was added to the
  /// common modes, so CoreFoundation adds it to each mode that becomes one.
  private let probe = LoopSource()
  private var levels = 0
  /// The number of observers that are calling tasks, which is also the level of the observer that calls tasks next.
  private var busyLevels = 0
  /// The mode of the latest activity, and its name. CoreFoundation has one string for it as long as the loop exists.
  private var latestMode: (name: ObjectIdentifier, mode: ModeID)?
  /// What wakes the loop, and at which uptime. Not a timer of the loop, which would be held up by one that is due and
  /// cannot fire yet, as in a nested run. Exclusivity is not checked at run time, as in `Scheduler`.
  @exclusivity(unchecked) private var alarm: (timer: any DispatchSourceTimer, uptime: Int64)?
  private var callBackTimer: CFRunLoopTimer?

  static var main: SystemLoop { SystemLoop(CFRunLoopGetMain()) }
  static var current: SystemLoop { SystemLoop(CFRunLoopGetCurrent()) }

  private init(_ cf: CFRunLoop) { self.cf = cf }

  var isRunning: Bool { copyCurrentModeName(cf) != nil }

  func currentMode(_ scheduler: Scheduler) -> ModeID? {
    guard let name = copyCurrentModeName(cf) else { return nil }
    if latestMode?.name != ObjectIdentifier(name) {
      latestMode = RunLoop.current.currentMode.map { (ObjectIdentifier(name), scheduler.id(of: $0)) }
    }
    return latestMode?.mode
  }

  func wakeUp() { CFRunLoopWakeUp(cf) }

  func setAlarm(at date: Int64, _ scheduler: Scheduler) {
    let uptime = scheduler.clock.uptime(of: date)
    // An alarm that is set for this date is left alone, but not within a millisecond of it: it may just have gone off,
    // a little early, or since the caller has read the clock.
    let isSet = uptime == (alarm?.uptime ?? .max)
    if isSet, uptime == .max || uptime > TaskClock.uptime.addingSaturated(1_000_000) { return }
    let timer = alarm?.timer ?? makeAlarm()
    timer.schedule(deadline: uptime == .max ? .distantFuture : DispatchTime(uptimeNanoseconds: UInt64(max(uptime, 0))))
    alarm = (timer, uptime)
  }

  private func makeAlarm() -> any DispatchSourceTimer {
    // A queue of its own, because to wake a loop may take its lock, for which no other loop must wait. A serial one,
    // because other code may block the threads of the global ones.
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "RunLoopTasks.alarm"))
    timer.setEventHandler { [cf] in CFRunLoopWakeUp(cf) }
    timer.activate()
    return timer
  }

  func armCallBack(in mode: RunLoop.Mode, _ body: @escaping () -> Void) {
    if callBackTimer == nil {
      callBackTimer = CFRunLoopTimerCreateWithHandler(kCFAllocatorDefault, CFAbsoluteTimeGetCurrent(), 0, 0, 0) {
        [unowned self] _ in
        callBackTimer = nil
        body()
      }
    }
    CFRunLoopAddTimer(cf, callBackTimer, mode.cfMode)
  }

  func disarmCallBack() -> Bool {
    guard let timer = callBackTimer.take() else { return false }
    CFRunLoopTimerInvalidate(timer)
    return true
  }

  func end() {
    observers.forEach { $0.invalidate() }
    probe.invalidate()
    alarm.take()?.timer.cancel()
    _ = disarmCallBack()
  }

  func add(_ source: LoopSource, to mode: RunLoop.Mode) { CFRunLoopAddSource(cf, source.cf, mode.cfMode) }
  func remove(_ source: LoopSource, from mode: RunLoop.Mode) { CFRunLoopRemoveSource(cf, source.cf, mode.cfMode) }
  func add(_ observer: LoopObserver, to mode: RunLoop.Mode) { CFRunLoopAddObserver(cf, observer.cf, mode.cfMode) }
  func remove(_ observer: LoopObserver, from mode: RunLoop.Mode) {
    CFRunLoopRemoveObserver(cf, observer.cf, mode.cfMode)
  }

  // MARK: Observers

  /// Calls `scheduler` back from now on, also in a run that is under way.
  func begin(_ scheduler: Scheduler) {
    self.scheduler = .passUnretained(scheduler)
    add(probe, to: .common)
    remove(probe, from: .default)  // which the engine knows to be common
    scheduler.inbox.withLock { addObservers() }
    // A run may be under way, and is seen from its next activity on. `Scheduler.init` has used the first modes and
    // woken the loop for them, perhaps before these observers were there.
    CFRunLoopWakeUp(cf)
  }

  private func addObservers() {
    // Another thread may add them to a mode while the loop runs. If the one of order `.min` were added first, it could
    // note a run whose end the one of order `.max` misses.
    let me = Unmanaged.passUnretained(self)
    add(
      LoopObserver([.beforeWaiting, .exit], order: .max) { activity in
        me.withUnretained { $0.lastLook(at: activity) }
      })
    add(LoopObserver(.entry, order: .min) { _ in me.withUnretained { $0.callWithMode { $0.runBegins(in: $1) } } })
    addTaskObserver()
  }

  private func lastLook(at activity: RunLoop.Activity) {
    callWithMode { $0.lastLook(at: Moment(activity), in: $1) }
  }

  private func callWithMode(_ body: (Scheduler, ModeID) -> Void) {
    scheduler?.withUnretained {
      $0.loopCalls()
      if let mode = currentMode($0) { body($0, mode) }
    }
  }

  func observe(_ mode: RunLoop.Mode) {
    observedModes.append(mode.cfMode)
    for observer in observers { CFRunLoopAddObserver(cf, observer.cf, mode.cfMode) }
    CFRunLoopWakeUp(cf)  // a run of the mode is seen from its next activity on
  }

  func takeProbe(from mode: RunLoop.Mode) -> Bool {
    guard CFRunLoopContainsSource(cf, probe.cf, mode.cfMode) else { return false }
    remove(probe, from: mode)
    return true
  }

  private func add(_ observer: LoopObserver) {
    observers.append(observer)
    for mode in observedModes { CFRunLoopAddObserver(cf, observer.cf, mode) }
  }

  private func addTaskObserver() {
    let (me, level) = (Unmanaged.passUnretained(self), levels)
    levels += 1
    add(
      LoopObserver(Moment.activities, order: taskOrder) { activity in
        me.withUnretained { $0.handle(activity, level) }
      })
  }

  private func handle(_ activity: RunLoop.Activity, _ level: Int) {
    guard busyLevels == level else { return }
    scheduler?.withUnretained { scheduler in
      scheduler.loopCalls()
      busyLevels += 1
      if busyLevels == levels { scheduler.inbox.withLock { addTaskObserver() } }
      scheduler.handle(Moment(activity), in: currentMode(scheduler)!)
      busyLevels = level
      // The observer of the deepest level is no longer used, and each observer costs time at each activity.
      guard levels > busyLevels + 1 + Self.spareObservers else { return }
      scheduler.inbox.withLock { observers.removeLast().invalidate() }
      levels -= 1
    }
  }
}
