import CoreFoundation
import Foundation

/// A custom input source with a command buffer: other threads send commands, and a run loop performs them.
///
/// ```swift
/// let source = RunLoopSource<URL> { urls in
///   for url in urls { print("on the loop's thread:", url) }
/// }
/// RunLoop.current.add(source, forMode: .default)
/// DispatchQueue.global().async { source.send(url) }  // any thread
/// ```
///
/// Each command is delivered once, in the order of sending, in as few batches as the loop's turns allow. Commands that are sent
/// before the source is in a mode wait for that.
///
/// A source may be in several modes and loops. Whichever loop comes first performs what was sent; two never do at the same
/// time, so the order holds. A loop keeps the sources that were added to it, and a source in a mode keeps the runs of that mode
/// alive. A closure that uses `self` therefore keeps `self` alive until ``invalidate()``. Capture it weakly:
///
/// ```swift
/// @MainActor final class Feed {
///   private var source: RunLoopSource<URL>?
///
///   func start() {
///     let source = RunLoopSource<URL> { [weak self] urls in
///       MainActor.assumeIsolated { self?.add(urls) }
///     }
///     RunLoop.main.add(source, forMode: .common)
///     self.source = source
///   }
///
///   func add(_ urls: [URL]) { print(urls.count, "more") }
///
///   deinit { source?.invalidate() }
/// }
/// ```
public final class RunLoopSource<Command: Sendable>: Sendable {
  // The source's lock is taken before a scheduler's, never the other way round; and neither is held while user code runs.
  let state: Locked<SourceState<Command>>
  let order: Int
  private let batchLimit: Int

  /// A source that is in no mode of any loop yet.
  ///
  /// - Parameters:
  ///   - order: its place among the sources of a loop; lower ones come first.
  ///   - batchLimit: how many commands `perform` is handed at most. The rest comes in the next turn of the loop, so that timers and
  ///     other sources get their turns between. Less than one stops the program.
  ///   - onSchedule: called when the source is added to a mode, on the thread that adds it. `.common` counts as one mode.
  ///   - onCancel: called when it is taken out of a mode: on the thread that removes or invalidates it, or whose loop ends.
  ///   - perform: called on a loop's thread with what was sent, never with nothing. The closures are released when the source
  ///     is invalidated.
  public init(
    order: Int = 0, batchLimit: Int = .max, onSchedule: (@Sendable (RunLoop.Mode) -> Void)? = nil,
    onCancel: (@Sendable (RunLoop.Mode) -> Void)? = nil, perform: @escaping @Sendable ([Command]) -> Void
  ) {
    guard batchLimit >= 1 else {
      fatalError(
        "RunLoopSource needs a batchLimit of at least one, not \(batchLimit): with less it could deliver no command")
    }
    (self.order, self.batchLimit) = (order, batchLimit)
    state = Locked(SourceState(perform: perform, onSchedule: onSchedule, onCancel: onCancel))
  }

  /// Whether the source has not been invalidated. May be asked on any thread.
  public var isValid: Bool { state.withLock { $0.isValid } }

  /// Sends a command, from any thread: puts it into the buffer, signals the source and wakes its loops.
  ///
  /// - Parameter command: what `perform` will be handed.
  /// - Returns: `true` if the command was taken in; `false` if the source is invalid.
  /// - Complexity: O(number of loops that have the source), usually one.
  @discardableResult
  public func send(_ command: Command) -> Bool {
    state.withLock { state in
      guard state.isValid else { return false }
      state.commands.append(command)
      signal(state)
      return true
    }
  }

  /// Takes the source off every loop, for good, from any thread.
  ///
  /// `onCancel` is called once for each mode of each loop that it was in, before this returns. Commands that have not been
  /// delivered are dropped. A batch that is being performed on another thread is not waited for. Once is enough: a second call
  /// does nothing.
  public func invalidate() {
    let (old, left) = state.withLock { state in
      let old = state
      let sources = old.registrations.keys.map { reference in
        (reference, reference.scheduler.attachment.withLock { $0.remove(self) })
      }
      state = SourceState(announcements: old.announcements)
      let left = sources.flatMap { reference, source in state.leave(source?.modes ?? [], of: reference) }
      return (old, left)
    }
    for mode in left { old.onCancel?(mode) }
  }

  /// How many commands wait.
  var pendingCommands: Int { state.withLock { $0.commands.count } }

  /// Takes over what waits.
  func takeCommands() -> [Command] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  // MARK: Performing

  /// Lets the loops that have the source perform what was sent.
  func signal(_ state: SourceState<Command>, withoutWaking awake: SchedulerReference? = nil) {
    for (reference, registration) in state.registrations {
      registration.source.signal()
      if reference != awake { reference.scheduler.wakeFromAnyThread() }
    }
  }

  /// Keeps the loop from sleeping on commands, if a nested run has consumed the wake-up.
  func lookAgain() {
    let own = SchedulerReference(.current)
    state.withLock { state in
      guard !state.commands.isEmpty, state.performer == nil || state.performer?.scheduler == own else { return }
      CFRunLoopWakeUp(CFRunLoopGetCurrent())
    }
  }

  /// Performs what was sent so far.
  func deliver() {
    let own = SchedulerReference(.current)
    let batch = state.withLock { state -> (commands: [Command], perform: (@Sendable ([Command]) -> Void)?)? in
      guard !state.commands.isEmpty, let registration = state.registrations[own] else { return nil }
      // CoreFoundation also calls a source that another one has just taken out of the mode.
      if let mode = RunLoop.current.currentMode,
        !CFRunLoopContainsSource(CFRunLoopGetCurrent(), registration.source.cf, mode.cfMode)
      {
        registration.source.signal()  // for its other modes
        return nil
      }
      // A run that is nested in `perform` may go on; another loop leaves the rest to this one.
      if let performer = state.performer, performer.scheduler != own { return nil }
      state.performer = (own, (state.performer?.depth ?? 0) + 1)
      guard state.commands.count > batchLimit else {
        defer { state.commands = [] }
        return (state.commands, state.perform)
      }
      defer { state.commands.removeFirst(batchLimit) }
      registration.source.signal()  // for the next turn; a wake-up would take the turns of timers
      return (Array(state.commands.prefix(batchLimit)), state.perform)
    }
    guard let batch else { return }
    withAutoreleasePool { batch.perform?(batch.commands) }
    state.withLock { state in
      guard let performer = state.performer else { return }  // invalidated meanwhile
      state.performer = performer.depth == 1 ? nil : (own, performer.depth - 1)
      // This loop goes round anyway.
      if state.performer == nil, !state.commands.isEmpty { signal(state, withoutWaking: own) }
    }
  }
}
