import CoreFoundation
import Foundation
import Synchronization

/// The observers that tell a loop's recorders about the activities of all runs, in whatever modes.
///
/// The package observes a mode from its first use by the package on. While a loop is recorded, it is observed in all
/// its modes. CoreFoundation does not report a new mode, so the watch looks for new ones at each activity. A run is
/// therefore hidden if the callout that is the first to use its mode also runs the loop in that mode; see
/// `findHiddenRun`.
final class ActivityWatch: @unchecked Sendable {
  // Unchecked, because the lock of `LoopAttachment` guards `observers` and `modes`, and `latestMode` belongs to the
  // loop's own thread.

  private let cf: CFRunLoop
  /// Each observer retains the watch, until `end`.
  private var observers: [LoopObserver] = []
  /// The modes in which the loop is observed.
  private var modes: [CFString] = []
  /// How many modes the loop had when its modes were last looked at, and those observed one by one since then.
  private let knownModeCount = Atomic(0)
  /// The mode of the latest activity, and its name. CoreFoundation has one string for it as long as the loop exists.
  private var latestMode: (name: ObjectIdentifier, mode: RunLoop.Mode)?

  /// Watches the current thread's loop. With the lock.
  init(_ cf: CFRunLoop) {
    self.cf = cf
    observers = [
      LoopObserver(.all, order: .min) { activity in self.tell(activity, isLast: false) },
      // Added first, and thus before the other one if a run is under way.
      LoopObserver([.beforeWaiting, .exit], order: .max) { activity in self.tell(activity, isLast: true) },
    ]
    observeNewModes()
  }

  /// Observes one more mode, from its first use by the package on. With the lock.
  func observe(_ mode: CFString) {
    guard !isObserved(mode) else { return }
    modes.append(mode)
    // No run in it is hidden.
    knownModeCount.wrappingAdd(1, ordering: .relaxed)
    for observer in observers { CFRunLoopAddObserver(cf, observer.cf, cfMode(named: mode)) }
  }

  /// Tells nothing more. With the lock.
  func end() {
    // CoreFoundation may be calling an observer on the loop's own thread, so it is not invalidated here: see
    // `RunLoopObserver`.
    for observer in observers {
      for mode in modes { CFRunLoopRemoveObserver(cf, observer.cf, cfMode(named: mode)) }
    }
    observers = []
  }

  /// Looks for new modes, and for a run in one of them. With the lock, on any thread.
  func findHiddenRun() -> HiddenRun {
    let name = copyCurrentModeName(cf).flatMap { isObserved($0) ? nil : $0 }
    guard name != nil || hasNewModes else { return .none }
    observeNewModes()
    return name.map { .underWay(RunLoop.Mode(text(of: $0))) } ?? .perhapsOver
  }

  private var hasNewModes: Bool {
    CFRunLoopCopyAllModes(cf).map(CFArrayGetCount) != knownModeCount.load(ordering: .relaxed)
  }

  private func isObserved(_ mode: CFString) -> Bool { modes.contains { CFEqual($0, mode) } }

  private func observeNewModes() {
    guard let names = CFRunLoopCopyAllModes(cf) else { return }
    let count = CFArrayGetCount(names)
    for index in 0..<count {
      observe(Unmanaged<CFString>.fromOpaque(CFArrayGetValueAtIndex(names, index)!).takeUnretainedValue())
    }
    knownModeCount.store(count, ordering: .relaxed)
  }

  private func tell(_ activity: RunLoop.Activity, isLast: Bool) {
    guard let scheduler = ThreadLocalScheduler.scheduler, let name = copyCurrentModeName(cf) else { return }
    var marker: UInt8 = 0
    let frame = withUnsafePointer(to: &marker) { UInt(bitPattern: $0) }
    scheduler.withUnretained { scheduler in
      if !isLast, hasNewModes { scheduler.attachment.withLock { _ in observeNewModes() } }
      let mode = mode(named: name)
      let isDrivenPass = scheduler.drivenPass != nil && scheduler[scheduler.currentRun.mode].name == mode
      scheduler.tellRecorders {
        $0.loopComes(
          to: LoopMoment(activity: activity, isLast: isLast, mode: mode, isDrivenPass: isDrivenPass, frame: frame))
      }
    }
  }

  private func mode(named name: CFString) -> RunLoop.Mode {
    if let latestMode, latestMode.name == ObjectIdentifier(name) { return latestMode.mode }
    let mode = RunLoop.Mode(text(of: name))
    latestMode = (ObjectIdentifier(name), mode)
    return mode
  }
}

extension SystemLoop {
  /// Tells the recorders about all activities. With the lock of the attachment, on the loop's own thread.
  func watchActivities() { if watch == nil { watch = ActivityWatch(cf) } }

  func unwatchActivities() { watch.take()?.end() }
}
