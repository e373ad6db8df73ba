import Foundation

@testable import RunLoopTasks

/// A rule of the engine that a search may do without, to see that it finds the holes then.
enum WakingRule: CaseIterable {
  /// The last check wakes the loop,
  case wakeAtLastCheck
  /// also if nothing is pending.
  case wakeThoughNothingIsPending
  /// At exits the modes are made due that were first observed inside a run.
  case makeFirstObservedModesDue
  /// At the exit of a nested run the mode of the run around it is made due.
  case makeOuterModeDue
  /// What comes in after the last check wakes the loop.
  case wakeWhenAttached
  /// A mode without tasks is detached.
  case detach
  /// A run that nobody has seen begin is noted, also if it is nested in another.
  case noteUnobservedRuns
}

/// What the scheduler knows, without a run loop.
struct SimulatedEngine {
  struct Wish: CustomStringConvertible {
    let timing: RunLoopTask.Timing
    let mode: ModeID
    var description: String { "\(timing), \(RunLoopSimulation.name(mode))" }
  }

  enum Message {
    case schedule(Wish)
    case cancelAll
  }

  struct KeepAlive {
    /// Whether it is attached. Whether the loop's own thread knows that is in the `RunStack`.
    var isAttached = false
    var isObserved = false
  }

  var pending = PendingTasks()
  var runs = RunStack()
  var keepAlives = Array(repeating: KeepAlive(), count: 4)
  var mailbox: [Message] = []
  var attachedByOthers: [ModeID] = []
  var firstObservedByOthers: [ModeID] = []
  var latestMode: ModeID?
  private let brokenRule: WakingRule?

  init(without rule: WakingRule?) {
    brokenRule = rule
    for _ in keepAlives {
      _ = pending.addMode()
      runs.addMode()
    }
  }

  func keeps(_ rule: WakingRule) -> Bool { rule != brokenRule }

  func isAttached(_ mode: ModeID) -> Bool { keepAlives[Int(mode.index)].isAttached }
  func isObserved(_ mode: ModeID) -> Bool { keepAlives[Int(mode.index)].isObserved }

  /// The observers are attached to the common modes with the first mode that has tasks.
  ///
  /// - Returns: the modes that were not observed before.
  @discardableResult
  mutating func observe(_ mode: ModeID) -> [ModeID] {
    guard !isObserved(mode) else { return [] }
    let new = (mode == .common ? [mode] : [.common, mode]).filter { !isObserved($0) }
    for mode in new { keepAlives[Int(mode.index)].isObserved = true }
    return new
  }

  /// As `LoopAttachment.attach`.
  mutating func attach(_ mode: ModeID) -> [ModeID] {
    keepAlives[Int(mode.index)].isAttached = true
    return observe(mode)
  }

  /// Whether tasks are pending that can run in a mode, those in the mailbox included.
  func hasWork(in mode: ModeID, isCommon: Bool) -> Bool {
    let isUnread = mailbox.contains {
      if case .schedule(let wish) = $0 { wish.mode == mode || isCommon && wish.mode == .common } else { false }
    }
    return isUnread || pending.hasTasks(in: mode) || isCommon && pending.hasTasks(in: .common)
  }
}
