import CoreFoundation
import Foundation

// The runs that nobody heard begin, because the package observed their mode only later.
extension Scheduler {
  /// Begins to follow the runs of a mode, of which some may be under way.
  ///
  /// - Parameter isNew: whether nobody has observed it until now; mail may have come first, with a wake-up of its own.
  func follow(_ entry: ModeEntry, isNew: Bool) {
    entry.isFollowed = true
    guard let mode = currentMode() else {
      unheard = []
      return
    }
    if runs.last?.mode !== mode { noteUnheard(mode) }
    // An outer run in that mode may be on its way to sleep, and the wake-up that came with mail may be spent on this one. It
    // will do for the common modes, though: mostly this mode is one of them, and would be woken once more for nothing.
    if mode !== entry, isNew || entry !== commonMode { arm(entry) }
  }

  /// Remembers a run that nobody heard begin, and that may sleep without having been heard.
  private func noteUnheard(_ mode: ModeEntry) {
    isPastLastCheck = true
    if !unheard.contains(where: { $0 === mode }) { unheard.append(mode) }
  }

  /// Somebody on this thread makes a mode a common one, of which a run may be under way.
  ///
  /// CoreFoundation calls this with its lock of the loop, which other threads take after the scheduler's. So if one of them has
  /// that, the hearers come when the run is first heard.
  func hearOfNewCommonMode() {
    provideHearers(mayWait: false)
    guard let name = loop?.borrow(copyCurrentModeName) else { return }
    // To look for a mode that is not the last one would take the lock.
    let isHeard = isLastMode(name) && runs.last?.mode === lastMode?.takeUnretainedValue()
    if !isHeard { noteUnheard(commonMode) }
  }

  /// Learns of a run that was under way when its mode got its first task.
  ///
  /// - Returns: whether it was such a run.
  @discardableResult
  func enterIfUnobserved(_ mode: ModeEntry) -> Bool {
    guard runs.last?.mode !== mode else { return false }
    unheard.removeAll { $0 === mode || $0 === commonMode && isServedAsCommon(mode) }
    enter(Run(mode: mode, mayBeEmpty: true))
    return true
  }
}
