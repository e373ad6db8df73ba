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
/// alive.
public final class RunLoopSource<Command: Sendable>: Sendable {
  private struct State {
    var isValid = true
    var commands: [Command] = []
    var perform: (@Sendable ([Command]) -> Void)?
    var onSchedule: (@Sendable (RunLoop.Mode) -> Void)?
    var onCancel: (@Sendable (RunLoop.Mode) -> Void)?
    /// The loops that have the source.
    var schedulers: Set<SchedulerReference> = []
    /// The loop that performs commands, and how deep in nested runs.
    var performer: (scheduler: SchedulerReference, depth: Int)?
  }

  // The source's lock is taken before a scheduler's, never the other way round; and neither is held while user code runs.
  private let state: Locked<State>
  private let source: LoopSource

  /// A source that is in no mode of any loop yet.
  ///
  /// - Parameters:
  ///   - order: its place among the sources of a loop; lower ones come first.
  ///   - onSchedule: called when the source is added to a mode, on the thread that adds it. `.common` counts as one mode.
  ///   - onCancel: called when it is taken out of a mode: on the thread that removes or invalidates it, or whose loop ends.
  ///   - perform: called on a loop's thread with what was sent, never with nothing. The closures are let go of when the source
  ///     is invalidated.
  public init(
    order: Int = 0, onSchedule: (@Sendable (RunLoop.Mode) -> Void)? = nil,
    onCancel: (@Sendable (RunLoop.Mode) -> Void)? = nil, perform: @escaping @Sendable ([Command]) -> Void
  ) {
    let state = Locked(State(perform: perform, onSchedule: onSchedule, onCancel: onCancel))
    let owner = Owner<RunLoopSource>()
    self.state = state
    source = LoopSource(order: order) { owner.source?.deliver() }
    owner.source = self
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
    let (old, guests) = state.withLock { state in
      let old = state
      state = State(isValid: false)
      let guests = old.schedulers.compactMap { reference in
        reference.scheduler.attachment.withLock { $0.remove(self) }
      }
      return (old, guests)
    }
    source.invalidate()
    for guest in guests { guest.hasLeft() }
    withExtendedLifetime(old) {}
  }

  /// How many commands wait.
  var pendingCommands: Int { state.withLock { $0.commands.count } }

  // MARK: Performing

  /// Lets a loop that has the source come here again.
  private func signal(_ state: State) {
    source.signal()
    for reference in state.schedulers { reference.scheduler.attachment.withLock { $0.wake() } }
  }

  /// Performs what was sent so far.
  func deliver() {
    let own = SchedulerReference(.current)
    let batch = state.withLock { state -> (commands: [Command], perform: (@Sendable ([Command]) -> Void)?)? in
      guard !state.commands.isEmpty else { return nil }
      // A run that is nested in `perform` may go on; another loop leaves the rest to this one.
      if let performer = state.performer, performer.scheduler != own { return nil }
      state.performer = (own, (state.performer?.depth ?? 0) + 1)
      defer { state.commands = [] }
      return (state.commands, state.perform)
    }
    guard let batch else { return }
    batch.perform?(batch.commands)
    state.withLock { state in
      guard let performer = state.performer else { return }  // invalidated meanwhile
      state.performer = performer.depth == 1 ? nil : (own, performer.depth - 1)
      if state.performer == nil, !state.commands.isEmpty { signal(state) }
    }
  }

  // MARK: Modes

  fileprivate func add(to scheduler: Scheduler, forMode mode: RunLoop.Mode) {
    let onSchedule = state.withLock { state -> (@Sendable (RunLoop.Mode) -> Void)? in
      guard state.isValid else { return nil }
      let guest = Guests.Source(source: source, owner: self, onCancel: state.onCancel)
      guard scheduler.attachment.withLock({ $0.add(guest, to: mode) }) else { return nil }
      state.schedulers.insert(SchedulerReference(scheduler))
      if !state.commands.isEmpty { signal(state) }
      return state.onSchedule
    }
    onSchedule?(mode)
  }

  fileprivate func remove(from scheduler: Scheduler, forMode mode: RunLoop.Mode) {
    let left = state.withLock { state in
      let left = scheduler.attachment.withLock { $0.remove(self, from: mode) }
      if left?.isElsewhere == false { state.schedulers.remove(SchedulerReference(scheduler)) }
      return left
    }
    left?.guest.hasLeft()
  }
}

extension RunLoopSource: SourceOwner {
  func loopHasEnded(_ scheduler: Scheduler) {
    _ = state.withLock { $0.schedulers.remove(SchedulerReference(scheduler)) }
  }
}

extension RunLoop {
  /// Adds a custom input source to a mode of the current thread's loop, and calls its `onSchedule`.
  ///
  /// Adding it again to the same mode changes nothing, and neither does adding an invalid one.
  ///
  /// - Important: Call it on the loop's own thread; elsewhere it stops the program.
  /// - Parameters:
  ///   - source: the source.
  ///   - mode: the mode; `.common` for all common modes.
  public func add<Command>(_ source: RunLoopSource<Command>, forMode mode: RunLoop.Mode) {
    source.add(to: scheduler(for: "RunLoop.add(_:forMode:)", "RunLoop.current.add(source, forMode: …)"), forMode: mode)
  }

  /// Takes a custom input source out of a mode of the current thread's loop, and calls its `onCancel`.
  ///
  /// If the source is not in that mode, nothing happens.
  ///
  /// - Important: Call it on the loop's own thread; elsewhere it stops the program. On any thread,
  ///   ``RunLoopSource/invalidate()`` takes a source off all its loops.
  /// - Parameters:
  ///   - source: the source.
  ///   - mode: the mode that it was added to.
  public func remove<Command>(_ source: RunLoopSource<Command>, forMode mode: RunLoop.Mode) {
    source.remove(
      from: scheduler(for: "RunLoop.remove(_:forMode:)", "RunLoop.current.remove(source, forMode: …)"), forMode: mode)
  }

  /// The current thread's scheduler. Stops the program if that is not this loop's.
  func scheduler(for function: StaticString, _ call: StaticString) -> Scheduler {
    let scheduler = Scheduler.current
    guard scheduler.serves(self) else {
      fatalError(
        """
        \(function) must be called on the loop's own thread; from another thread let the loop do it, as in \
        queue.perform { \(call) }, with the RunLoop.taskQueue that was read on the loop's thread
        """)
    }
    return scheduler
  }
}

/// A scheduler as an element of a set.
private struct SchedulerReference: Hashable {
  let scheduler: Scheduler

  init(_ scheduler: Scheduler) { self.scheduler = scheduler }

  static func == (one: SchedulerReference, other: SchedulerReference) -> Bool { one.scheduler === other.scheduler }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(scheduler)) }
}

/// The source that CoreFoundation's calls. It is not kept alive by that.
private final class Owner<Source: AnyObject> {
  weak var source: Source?
}
