import CoreFoundation
import Foundation

/// Where tasks run among the observers of an activity.
///
/// After an app's own observers, which mostly have order 0, so that what they schedule for the end of the pass still runs
/// in it; before UIKit prepares (1,999,000) and Core Animation commits (2,000,000), so that it gets into the same frame.
private let taskOrder = 1_998_000

// What the loop calls. `hear` serves the activities. Before all other observers, `beginRun` learns of a new run; after all
// others, `finish` has the last word before the loop sleeps or leaves its run. Those call nobody, so they miss nothing.
extension Scheduler {
  /// Makes the observers. They are added to a mode when tasks are pending in it.
  func listen() {
    // Unretained for speed, here and below: the scheduler invalidates its observers before it goes.
    let me = Unmanaged.passUnretained(self)
    let first = LoopObserver(.entry, order: .min) { _ in
      me.borrow { $0.beginRun() }
    }
    attachment.withLock { $0.add(first, isResting: false) }
    for activity: RunLoop.Activity in [.entry, .beforeWaiting, .afterWaiting, .exit] {
      addHearer(of: activity, isResting: activity == .beforeWaiting)
    }
    let last = LoopObserver([.beforeWaiting, .exit], order: .max) { activity in
      me.borrow { $0.finish(activity) }
    }
    attachment.withLock { $0.add(last, isResting: false) }
  }

  private func addHearer(
    of activity: RunLoop.Activity, isResting: Bool = false, isSpare: Bool = false, mayWait: Bool = true
  ) {
    let hearer = Hearer(activity, isSpare: isSpare)
    let (me, ear) = (Unmanaged.passUnretained(self), Unmanaged.passUnretained(hearer))
    let observer = LoopObserver(activity, order: taskOrder) { _ in
      me.borrow { me in ear.borrow { me.hear($0) } }
    }
    hearer.observer = observer
    let add = { (attachment: inout Attachment) in attachment.add(observer, isResting: isResting) }
    if mayWait { attachment.withLock(add) } else if !attachment.withLockIfAvailable(add) { return }
    hearers.append(hearer)
  }

  private func beginRun() {
    isPastLastCheck = false
    withCurrentMode { mode in
      disarm(mode)
      enter(Run(mode: mode, mayBeEmpty: hasEmptiedMode))
    }
  }

  private func hear(_ hearer: Hearer) {
    // Of those that are not busy the first one serves, which a spare may not be.
    guard !hearer.isSpare || hearer === idleHearer(of: hearer.activity) else { return }
    isPastLastCheck = false
    readMail()
    if !released.isEmpty {
      beginCallOut(from: hearer)
      releaseClosures()
      endCallOut(from: hearer)
    }
    guard mayServe(hearer.activity) else { return }
    withCurrentMode { serve(hearer, in: $0) }
  }

  private func serve(_ hearer: Hearer, in mode: ModeEntry) {
    // The resting observer also hears runs of modes without tasks, of which nothing else is observed.
    if hearer.activity == .beforeWaiting, !hasPending(in: mode) { return }
    let isUnobserved = enterIfUnobserved(mode)
    let run = runs.count - 1
    switch hearer.activity {
    case .entry:
      runBatch(.atEntry, in: mode, hearer: hearer)
    case .beforeWaiting:
      if hasPending(.currentLoopEnded, in: mode) {
        runBatch(.beforeWaiting, in: mode, hearer: hearer)
      } else if !runs[run].hasRunTask, !hasPending(.nextLoopBegan, in: mode) {
        runBatch(.beforeIdleWaiting, in: mode, hearer: hearer)
        // An idle task is work: the next one of a chain does not wait for a nap.
        if runs[run].hasRunTask { runs[run].looks.reset() }
      }
      // `finish` may have come too late for this time.
      runs[run].mayLoseWakeUp = isUnobserved
      if isUnobserved, mustLookAgain(in: run, of: mode) { arm(mode) }
    case .afterWaiting:
      runs[run].looks.noteWaking()
      // The timers have woken it. In a run nested here they would keep the mode alive, and could not fire.
      disarm(mode)
      disarm(commonMode)
      runs[run].hasRunTask = false
      runs[run].mayLoseWakeUp = false
      runBatch(.afterWaiting, in: mode, hearer: hearer)
      // The loop looks whether the mode is empty at the end of this iteration.
      runs[run].mayBeEmpty = false
    default:
      runBatch(.atExit, in: mode, hearer: hearer)
    }
  }

  /// Whether there is anything to do at `activity`, as far as that can be told without asking for the mode, which costs more.
  private func mayServe(_ activity: RunLoop.Activity) -> Bool {
    switch activity {
    case .entry: tasksWereLeft
    case .afterWaiting: true
    default: openLanes > 0
    }
  }

  private func finish(_ activity: RunLoop.Activity) {
    readMail()
    withCurrentMode { finish(activity, in: $0) }
  }

  private func finish(_ activity: RunLoop.Activity, in mode: ModeEntry) {
    enterIfUnobserved(mode)
    let run = runs.count - 1
    if activity == .exit {
      tasksWereLeft = openLanes > 0
      mode.lastExit = nextOrder
      if isServedAsCommon(mode) { commonMode.lastExit = nextOrder }
      runs.removeLast()
      hasEmptiedMode = false
      // The outer run may sleep without another look, and this one may have had its wake-up.
      if let outer = runs.last, outer.mayLoseWakeUp { arm(outer.mode) }
      for mode in unheard where hasPending(in: mode) { arm(mode) }
      if !unheard.isEmpty { isPastLastCheck = true }
      return
    }
    disarm(mode)
    runs[run].mayLoseWakeUp = lookAgain(in: run, of: mode)
    isPastLastCheck = true
    let isQuiet = !hasPending(in: mode) && !runs[run].hasRunTask && released.isEmpty
    quietPasses = isQuiet ? quietPasses + 1 : 0
    // Not while there is something to find out: a loop that rests would not hear that it was woken for it.
    if quietPasses >= Self.patience, runs.count == 1, busyHearers == 0, !runs[run].mayLoseWakeUp {
      quietPasses = 0
      rest(in: mode)
      isPastLastCheck = false  // whoever ends the rest sets it again
    }
  }

  /// The hearer that serves the next such activity.
  private func idleHearer(of activity: RunLoop.Activity) -> Hearer? {
    hearers.first { $0.activity == activity && !$0.isBusy }
  }

  /// Calls out to code that may run the loop again.
  ///
  /// Spares for the other activities are added when that run is entered; for its entry it is then too late.
  func beginCallOut(from hearer: Hearer) {
    hearer.isBusy = true
    busyHearers += 1
    if hearer.activity == .entry, idleHearer(of: .entry) == nil { addHearer(of: .entry, isSpare: true) }
  }

  func endCallOut(from hearer: Hearer) {
    hearer.isBusy = false
    busyHearers -= 1
  }

  /// How many passes without tasks to wait before resting. To rest and to be woken cost more than to listen for a few passes.
  static let patience = 8

  /// Goes back to paying next to nothing.
  private func rest(in mode: ModeEntry) {
    runs = []
    unheard.removeAll { !hasPending(in: $0) }
    (mode.isFollowed, commonMode.isFollowed) = (false, false)
    // None of them is being called, as they promise: a spare is called only while another hearer is busy, or is so itself.
    let spares = hearers.filter(\.isSpare).compactMap(\.observer)
    hearers.removeAll(where: \.isSpare)
    let anchors = [mode.anchor, commonMode.anchor]
    attachment.withLock { attachment in
      spares.forEach { attachment.remove($0) }
      anchors.forEach { attachment.rest($0) }
    }
  }

  func enter(_ run: Run) {
    runs.append(run)
    provideHearers()
  }

  /// Makes sure that the activities of the innermost run are heard.
  func provideHearers(mayWait: Bool = true) {
    guard busyHearers > 0 else { return }
    for activity: RunLoop.Activity in [.beforeWaiting, .afterWaiting, .exit] where idleHearer(of: activity) == nil {
      addHearer(of: activity, isSpare: true, mayWait: mayWait)
    }
  }

  func currentMode() -> ModeEntry? {
    var current: ModeEntry?
    withCurrentMode { current = $0 }
    return current
  }

  /// Calls `body` with the mode that the loop runs in, unless it is not in a run. No reference is counted, because modes stay.
  @inline(__always)
  private func withCurrentMode(_ body: (ModeEntry) -> Void) {
    guard let name = loop?.borrow(copyCurrentModeName) else { return }
    if !isLastMode(name) { noteMode(name) }
    lastMode?.borrow(body)
  }

  /// Whether that is the name of the mode of the last activity.
  @inline(__always)
  func isLastMode(_ name: CFString) -> Bool { Unmanaged.passUnretained(name).toOpaque() == lastModeName }

  @inline(never)
  private func noteMode(_ name: CFString) {
    lastMode = RunLoop.current.currentMode.map { Unmanaged.passUnretained(modeSet($0).entries[0]) }
    lastModeName = Unmanaged.passUnretained(name).toOpaque()
  }
}
