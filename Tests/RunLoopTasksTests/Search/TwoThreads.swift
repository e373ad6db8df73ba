import Foundation

@testable import RunLoopTasks

/// The thread of a simulated loop and one that sends to it, of which exactly one runs at a time.
///
/// At each *point*, the thread that runs may let the other one go on. Points are the calls that the engine makes of its
/// host, before they take effect and after it, the taking and the giving back of the engine's lock, and for the loop's
/// thread all callouts of the loop. A thread that needs the lock while the other one has it waits until it is given
/// back.
///
///     sender   lock ─ host call •                            • ─ unlock •
///     loop                      └ callout ─ run ─ … ─ lock ? ┘          └ lock ─ …
///
/// Which thread goes on is a choice like all others, so a run can be repeated, and shrinks.
final class TwoThreads: @unchecked Sendable {
  // Unchecked, because one of the two threads runs at a time.

  enum Party { case loop, sender }

  weak var user: SimulatedUser?
  private let thread: SenderThread
  private(set) var running = Party.loop
  /// Whether what the sender does is under way.
  private(set) var isSending = false
  private var lockOwner: Party?
  /// What takes effect only after the lock has been given back, for a host with a fault.
  private var lateEffects: [() -> Void] = []
  private var waiting: Party?
  /// How many more points the sender passes before it is interrupted for the first time.
  private var pointsToPass = 0
  private var mayPause = true

  init(_ thread: SenderThread) { self.thread = thread }

  /// Whether the loop's thread has the engine's lock.
  var isLockedByLoop: Bool { lockOwner == .loop }

  /// Starts to do something on the sender's thread, until it is interrupted or done.
  func send(upToPoint number: Int, _ body: @escaping () -> Void) {
    (isSending, pointsToPass) = (true, number)
    thread.job = { [unowned self] in
      body()
      isSending = false
    }
    resume()
  }

  /// Lets the sender do the rest.
  func finishSending() {
    if isLockedByLoop, isSending { fatalError("the loop's thread waits for a sender, and holds the lock") }
    mayPause = false
    while isSending { resume() }
    mayPause = true
  }

  private func resume() {
    user?.noteCause()
    running = .sender
    thread.resume()
    running = .loop
  }

  /// A point at which the other thread may go on.
  ///
  /// - Parameter isUnlocked: whether the thread that runs cannot have the engine's lock.
  func point(_ name: @autoclosure () -> String, isUnlocked: Bool = false) {
    guard Self.areThreadsVisible || isUnlocked, let user else { return }
    guard isSending else { return user.postDuringCall(name()) }
    switch running {
    case .sender:
      guard mayPause, !(waiting == .loop && lockOwner == .sender) else { return }
      pointsToPass -= 1
      guard pointsToPass == 0 || pointsToPass < 0 && user.choose(2, .often) == 1 else { return }
      user.note("is interrupted \(name())")
      thread.pause()
    case .loop:
      guard !(waiting == .sender && lockOwner == .loop), user.choose(2, .often) == 1 else { return }
      user.note("\(name()), the other thread goes on:")
      resume()
    }
  }

  // MARK: The lock of the engine

  func lock() {
    point("before it takes the lock")
    let party = running
    if lockOwner == party { fatalError("the engine takes its lock again") }
    while lockOwner != nil {
      waiting = party
      user?.note("waits for the lock")
      if party == .sender { thread.pause() } else { resume() }
    }
    if waiting == party { waiting = nil }
    lockOwner = party
  }

  func unlock() {
    lockOwner = nil
    let effects = lateEffects
    lateEffects = []
    point("after it has given back the lock")
    for effect in effects { effect() }
  }

  /// Lets something take effect after the lock has been given back.
  func afterUnlock(_ effect: @escaping () -> Void) { lateEffects.append(effect) }

  /// Waits until the sender has given back the lock, if it has it.
  func waitForLock() {
    guard lockOwner == .sender else { return }
    waiting = .loop
    while lockOwner == .sender { resume() }
    waiting = nil
  }
}

#if canImport(Darwin)
  // The lock is a value there, which no simulation sees. What another thread does, it does as a whole.
  extension TwoThreads {
    static let areThreadsVisible = false
    func makeLock() -> Lock { Lock() }
  }
#else
  extension TwoThreads {
    static let areThreadsVisible = true
    func makeLock() -> Lock { SimulatedLock(self) }
  }

  /// The lock of an engine in a simulation.
  private final class SimulatedLock: NSLock, @unchecked Sendable {
    // Unchecked, because it has only a constant.

    private let threads: TwoThreads

    init(_ threads: TwoThreads) { self.threads = threads }

    override func lock() { threads.lock() }
    override func unlock() { threads.unlock() }
  }
#endif

/// The sender's thread. It runs only while the thread that has resumed it waits.
final class SenderThread: Sendable {
  private final class Handover: @unchecked Sendable {
    // Unchecked, because a thread uses `job` only while the other one waits.
    var job: (() -> Void)?
    let toSender = DispatchSemaphore(value: 0)
    let toLoop = DispatchSemaphore(value: 0)
  }

  private let handover = Handover()

  init() {
    Thread { [handover] in
      handover.toSender.wait()
      while let job = handover.job {
        job()
        handover.toLoop.signal()
        handover.toSender.wait()
      }
    }.start()
  }

  deinit {
    handover.job = nil
    handover.toSender.signal()
  }

  var job: (() -> Void)? {
    get { handover.job }
    set { handover.job = newValue }
  }

  /// Lets the thread run until it pauses or its job is done.
  func resume() {
    handover.toSender.signal()
    handover.toLoop.wait()
  }

  /// Lets the thread that has called `resume` go on. The sender's thread calls this.
  func pause() {
    handover.toLoop.signal()
    handover.toSender.wait()
  }
}
