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
/// The loop delivers each command once, in the order of sending, in one batch a turn: all that wait. Commands that you
/// send before you add the source to a mode wait in the buffer.
///
/// A source ends with its loop. A ``RunLoopThread`` that stops delivers all commands that the source has accepted. At
/// the end of any other thread, and for a source in custom modes only, the undelivered commands are dropped, and a line
/// on standard error counts them, once a process. From then on the source is invalid and ``send(_:)`` returns `false`.
/// To use a source beyond the end of a loop, remove it there before.
///
/// A source may be in several modes of one loop, and keeps runs of these modes alive. A loop retains its sources, and a
/// source retains its closures until ``invalidate()``, so capture the owner weakly:
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
  // Code that needs both locks takes the source's before the scheduler's. User code runs without either lock; only the
  // `==` of keys runs with the scheduler's.
  let state: Locked<SourceState<Command>>
  let order: Int

  /// Creates a source, which is not in any mode yet.
  ///
  /// - Parameters:
  ///   - order: the order among the sources of a loop; the loop performs lower orders first.
  ///   - onSchedule: a closure that the package calls when you add the source to a mode, on the same thread. `.common`
  ///     counts as one mode.
  ///   - onCancel: a closure that the package calls when the source leaves a mode, on the thread that removes or
  ///     invalidates the source or whose loop ends.
  ///   - perform: a closure that the loop calls on its own thread with at least one command. ``invalidate()`` releases
  ///     all three closures.
  public init(
    order: Int = 0, onSchedule: (@Sendable (RunLoop.Mode) -> Void)? = nil,
    onCancel: (@Sendable (RunLoop.Mode) -> Void)? = nil, perform: @escaping @Sendable ([Command]) -> Void
  ) {
    self.order = order
    state = Locked(SourceState(closures: (perform, onSchedule, onCancel)))
  }

  /// Whether the source still accepts commands, which ends with ``invalidate()`` and with the source's loop. You can
  /// read it on any thread.
  public var isValid: Bool { state.withLock { $0.isValid } }

  /// Sends a command, from any thread: puts it into the buffer and, if no other waits there, signals the source and
  /// wakes its loop.
  ///
  /// - Parameter command: the command for `perform`.
  /// - Returns: `true` if the buffer has taken the command; `false` if nobody will deliver it: the source is
  ///   invalid, or its ``RunLoopThread`` is stopping and takes nothing more from other threads. Then ``isValid`` may
  ///   still be `true`.
  /// - Complexity: O(1). Delivery is amortized O(1) per command.
  @discardableResult
  public func send(_ command: Command) -> Bool { accept(command) { $0.isOpen } }

  /// Takes a command unless the source has been invalidated, whether or not its loop is being drained.
  @discardableResult
  func accept(_ command: Command, if isAllowed: (SourceState<Command>) -> Bool = { _ in true }) -> Bool {
    state.withLock { state in
      guard state.closures != nil, isAllowed(state) else { return false }
      state.commands.append(command)
      // The first one is enough: the loop looks before each sleep whether commands are left.
      if state.isReady, state.commands.count == 1 { signal(state) }
      return true
    }
  }

  /// Removes the source from its loop for good, from any thread.
  ///
  /// The call drops the undelivered commands. Before it returns, it calls `onCancel` once for each mode that the source
  /// was in. It does not wait for a batch that another thread is performing. A second call has no effect.
  public func invalidate() { leave(forGood: true) }

  // MARK: Performing

  /// Signals the source in its loop, and wakes the loop.
  func signal(_ state: SourceState<Command>) {
    state.home?.source.signal()
    state.home?.scheduler.wakeLoop()
  }

  /// A pass would deliver commands now.
  var isReady: Bool { state.withLock { $0.isReady } }

  /// Performs the commands that wait.
  func deliver() {
    let batch = state.withLock { state -> Delivery? in
      // The loop that calls may be one that the source has just left.
      guard state.isReady, let home = state.home, home.scheduler.mayDeliver(self) else { return nil }
      return takeDelivery(from: &state)
    }
    if let batch { perform(batch) }
  }

  typealias Delivery = (commands: [Command], closures: SourceState<Command>.Closures)

  /// Takes out all commands, `nil` if there are none or the source is invalid.
  func takeDelivery(from state: inout SourceState<Command>) -> Delivery? {
    guard !state.commands.isEmpty, let closures = state.closures else { return nil }
    return (exchange(&state.commands, with: []), closures)
  }

  func perform(_ batch: Delivery) {
    Scheduler.withCurrent {
      $0.work(.batch(batch.commands.count, Command.self), self) {
        withAutoreleasePool { batch.closures.perform(batch.commands) }
      }
    }
  }
}
