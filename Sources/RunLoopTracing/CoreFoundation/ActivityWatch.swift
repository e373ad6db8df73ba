import CoreFoundation
import Foundation
import RunLoopTasks

/// Tells a recorder what the package does on a loop, and of the activities of all runs, in whatever modes.
///
/// CoreFoundation does not report a new mode, so the watch looks for new ones at each activity, and the engine tells of
/// those that the package uses. A run is therefore hidden if the callout that is the first to use its mode also runs the
/// loop in that mode; see `findHiddenRun`.
///
/// It calls CoreFoundation with no lock held. CoreFoundation calls the `schedule` of a source with its lock of the loop
/// held, and code there may use the package:
///
///     own thread      a mode becomes common: CoreFoundation's lock ─ schedule ─ the package's lock
///     other thread                                 the watch's lock, which is released before CoreFoundation's
final class ActivityWatch: LoopListener, @unchecked Sendable {
  // Unchecked, because CoreFoundation guards the loop and the observers by locks of its own, and `latestMode` belongs to
  // the loop's own thread.

  fileprivate struct State {
    let cf: CFRunLoop = CFRunLoopGetCurrent()
    /// Each retains the watch.
    var observers: [CFRunLoopObserver] = []
    /// The modes in which the loop is observed.
    var modes: [CFString] = []
  }

  private let queue: RunLoopTaskQueue
  private let recorder: any LoopRecorder
  /// `nil` once the watch has ended, so that the loop is not kept.
  private let state = Locked<State?>(State())
  /// The mode of the latest activity, and its name. CoreFoundation has one string for it as long as the loop exists.
  private var latestMode: (name: ObjectIdentifier, mode: RunLoop.Mode)?

  /// Watches the current thread's loop, unless that has ended.
  init(_ queue: RunLoopTaskQueue, for recorder: any LoopRecorder) {
    (self.queue, self.recorder) = (queue, recorder)
    guard queue.add(recorder), queue.add(self) else {
      recorder.loopEnds()
      end()
      return
    }
    // In this order, so that of a run under way the last call at an activity is not the first one that comes.
    let observers = [
      observer(of: .all, order: .min) { $0.come(to: $1, isLast: false) },
      observer(of: [.beforeWaiting, .exit], order: .max) { $0.come(to: $1, isLast: true) },
    ]
    state.withLock { $0?.observers = observers }
    observeNewModes()
  }

  private func observer(
    of activities: RunLoop.Activity, order: Int, _ come: @escaping (ActivityWatch, RunLoop.Activity) -> Void
  ) -> CFRunLoopObserver {
    CFRunLoopObserverCreateWithHandler(kCFAllocatorDefault, CFOptionFlags(activities.rawValue), true, order) {
      come(self, RunLoop.Activity(rawValue: UInt($1.rawValue)))
    }
  }

  /// Tells nothing more, except for what is being told just now. On any thread.
  func end() {
    queue.remove(self)
    queue.remove(recorder)
    guard let state = state.withLock({ exchange(&$0, with: nil) }) else { return }
    // CoreFoundation may be calling an observer on the loop's own thread, so it is not invalidated.
    state.remove(from: state.modes)
  }

  func loopEnds() { end() }

  // MARK: Modes

  func modeIsUsed(_ mode: RunLoop.Mode) { if mode != .common { observe(name(of: mode.cfMode)) } }

  private func observe(_ mode: CFString) {
    let changed = state.withLock { state -> State? in
      if state?.observes(mode) == true { return nil }
      state?.modes.append(mode)
      return state
    }
    guard let changed else { return }
    for observer in changed.observers { CFRunLoopAddObserver(changed.cf, observer, cfMode(named: mode)) }
    if state.withLock({ $0 == nil }) { changed.remove(from: [mode]) }  // another thread has ended it meanwhile
  }

  /// Looks for new modes. A loop loses none, so their number says whether there are any.
  ///
  /// - Returns: whether there were some.
  @discardableResult
  private func observeNewModes() -> Bool {
    guard let cf = state.withLock({ $0?.cf }), let names = CFRunLoopCopyAllModes(cf) else { return false }
    let count = CFArrayGetCount(names)
    if state.withLock({ $0?.modes.count == count }) { return false }
    for index in 0..<count {
      observe(Unmanaged<CFString>.fromOpaque(CFArrayGetValueAtIndex(names, index)!).takeUnretainedValue())
    }
    return true
  }

  /// Looks for new modes, and for a run in one of them. On any thread.
  func findHiddenRun() -> HiddenRun {
    guard let cf = state.withLock({ $0?.cf }) else { return .none }
    let mode = copyCurrentModeName(cf)
    let isHidden = mode.map { mode in state.withLock { $0?.observes(mode) == false } } == true
    let areModesNew = observeNewModes()
    if let mode, isHidden { return .underWay(RunLoop.Mode(text(of: mode))) }
    return areModesNew ? .perhapsOver : .none
  }

  // MARK: Activities

  private func come(to activity: RunLoop.Activity, isLast: Bool) {
    guard let name = copyCurrentModeName(CFRunLoopGetCurrent()) else { return }
    if !isLast { observeNewModes() }
    let mode = mode(named: name)
    recorder.loopComes(
      to: LoopMoment(
        activity: activity, isLast: isLast, mode: mode, isDrivenPass: queue.modeOfDrivenPass == mode,
        frame: stackAddress()))
  }

  private func mode(named name: CFString) -> RunLoop.Mode {
    if let latestMode, latestMode.name == ObjectIdentifier(name) { return latestMode.mode }
    let mode = RunLoop.Mode(text(of: name))
    latestMode = (ObjectIdentifier(name), mode)
    return mode
  }
}

extension ActivityWatch.State {
  fileprivate func observes(_ mode: CFString) -> Bool { modes.contains { CFEqual($0, mode) } }

  fileprivate func remove(from modes: [CFString]) {
    for observer in observers {
      for mode in modes { CFRunLoopRemoveObserver(cf, observer, cfMode(named: mode)) }
    }
  }
}

/// A run of which a recorder was not told.
enum HiddenRun {
  /// There was none since the last activity.
  case none
  /// The loop runs in this mode now.
  case underWay(RunLoop.Mode)
  /// The loop has a new mode, and may have been run in it.
  case perhapsOver
}
