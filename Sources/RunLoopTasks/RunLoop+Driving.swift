import CoreFoundation
import Foundation

extension RunLoop {
  /// Runs exactly one turn of the loop, without blocking.
  ///
  /// Whatever is ready is served, then the loop passes through `beforeWaiting`, `afterWaiting` and `exit`, each once. Tasks
  /// that were scheduled before run in the order of these: ``RunLoopTask/Timing/currentLoopEnded``,
  /// ``RunLoopTask/Timing/nextLoopBegan``, ``RunLoopTask/Timing/idle``.
  ///
  /// ```swift
  /// let loop = RunLoop.current
  /// loop.perform { print("ended") }.when(.currentLoopEnded)
  /// let ran = loop.runPass()  // prints "ended"; true
  /// ```
  ///
  /// If sources keep signalling themselves, so that the loop has something to do and never gets to waiting, the turn ends
  /// after a few rounds without it.
  ///
  /// - Important: Call it on the loop's own thread; elsewhere it stops the program. So does `.common`, in which no loop runs.
  /// - Parameter mode: the mode to run in.
  /// - Returns: whether any task ran.
  @discardableResult
  public func runPass(mode: RunLoop.Mode = .default) -> Bool {
    driver(in: mode, "RunLoop.runPass(mode:)").runPass(mode)
  }

  /// Runs passes until no task is pending in the mode.
  ///
  /// It does not wait for tasks that other threads have yet to schedule: with none pending it returns at once.
  ///
  /// ```swift
  /// #expect(RunLoop.current.runUntilTasksFinish())
  /// ```
  ///
  /// - Important: Call it on the loop's own thread; elsewhere it stops the program. So does `.common`, in which no loop runs.
  /// - Parameters:
  ///   - mode: the mode to run in.
  ///   - timeout: how long to go on at most; the pass under way is finished, and at least one is run.
  /// - Returns: whether no task is pending in the mode any more; `false` at the timeout.
  @discardableResult
  public func runUntilTasksFinish(mode: RunLoop.Mode = .default, timeout: Duration = .seconds(1)) -> Bool {
    let scheduler = driver(in: mode, "RunLoop.runUntilTasksFinish(mode:timeout:)")
    let start = ContinuousClock.now
    while scheduler.hasPending(inMode: mode) {
      scheduler.runPass(mode)
      if ContinuousClock.now - start >= timeout { return !scheduler.hasPending(inMode: mode) }
    }
    return true
  }

  private func driver(in mode: RunLoop.Mode, _ function: StaticString) -> Scheduler {
    let scheduler = Scheduler.current
    guard scheduler.serves(self) else {
      fatalError("\(function) must be called on the loop's own thread: a run loop can be run by no other")
    }
    guard mode != .common else {
      fatalError("\(function) needs a single mode: .common stands for several, pass .default or one of the others")
    }
    return scheduler
  }
}

extension Scheduler {
  func hasPending(inMode mode: RunLoop.Mode) -> Bool {
    readMail()
    releaseClosures()
    return hasPending(in: modeSet(mode).entries[0])
  }

  @discardableResult
  func runPass(_ mode: RunLoop.Mode) -> Bool {
    let tasksRunBefore = tasksRun
    Pass(mode.cfMode).run()
    return tasksRun > tasksRunBefore
  }
}

/// One turn of a run.
///
/// Left alone, a run serves one thing that is ready and may sleep, or it polls and passes through neither `beforeWaiting`
/// nor `afterWaiting`. So it is first made to poll, by a source that is signalled, and stopped when it would sleep.
private final class Pass {
  private let mode: CFMode
  private let loop: CFRunLoop
  private let source = InertSource()
  /// How deep in nested runs of the mode the loop is; 1 is the run of this pass.
  private var depth = 0
  private var rounds = 0
  /// Whether it has come to waiting, after which it is stopped.
  private var isEnding = false

  init(_ mode: CFMode) {
    self.mode = mode
    loop = CFRunLoopGetCurrent()
  }

  func run() {
    let first = LoopObserver([.entry, .beforeWaiting], order: .min) { [unowned self] in hearFirst($0) }
    let last = LoopObserver([.beforeTimers, .beforeWaiting, .exit], order: .max) { [unowned self] in hearLast($0) }
    for observer in [first, last] { CFRunLoopAddObserver(loop, observer.cf, mode) }
    CFRunLoopAddSource(loop, source.cf, mode)
    CFRunLoopRunInMode(mode, 1e10, false)  // a limit so far away is none, and needs no timer
    source.invalidate()
    for observer in [first, last] { observer.invalidate() }
  }

  // The source is to keep this pass alive, and no run that is nested in it.

  private func hearFirst(_ activity: RunLoop.Activity) {
    if activity == .entry {
      depth += 1
      guard depth == 2, !isEnding else { return }
      CFRunLoopRemoveSource(loop, source.cf, mode)
      CFRunLoopWakeUp(loop)  // a run looks for an empty mode only after it has slept
    } else if depth == 1 {
      isEnding = true
      CFRunLoopRemoveSource(loop, source.cf, mode)
    }
  }

  private func hearLast(_ activity: RunLoop.Activity) {
    switch activity {
    case .exit:
      depth -= 1
      if depth == 1, !isEnding { CFRunLoopAddSource(loop, source.cf, mode) }
    case _ where depth != 1: break
    case .beforeWaiting: CFRunLoopStop(loop)  // which wakes it as well
    default:
      rounds += 1
      if rounds == 1 || rounds < 4 && isTimerDue {
        CFRunLoopSourceSignal(source.cf)  // a timer can stand behind an old wake-up, and one port is served a round
      } else if rounds > 8 {
        CFRunLoopStop(loop)
      }
    }
  }

  private var isTimerDue: Bool {
    let date = CFRunLoopGetNextTimerFireDate(loop, mode)
    return date != 0 && date <= CFAbsoluteTimeGetCurrent()
  }
}
