import Foundation
import RunLoopTasks

/// Act one: two threads and two views. This is the main thread's side: it asks the worker for new alphas, stores them
/// in a main-queue block, reloads the views, and asks again after an interval.
@MainActor
final class Exchange {
  /// The stages between start and stop.
  enum State: String {
    case stopped, starting, running, stopping
  }

  static let explanation = """
    Each round, a main-queue block brings a new number and requests \(Cells.count) reloads. Each grid reloads once. \
    A red grid is stale: this frame was drawn before its reload.
    """
  /// For which systems the frames are drawn, from long to short.
  static let systems = [
    "Drawn as on macOS 15. iOS 18+ needs a UIUpdateLink: link.addRunLoopTasks()",
    "Drawn as on macOS 15. On iOS 18+: link.addRunLoopTasks()",
  ]

  private(set) var state = State.stopped {
    didSet { onStateChange?() }
  }
  /// The newest alphas, the model of the views. The first ones are there before the first round.
  private(set) var alphas = Cells.alphas(of: 0)
  private(set) var round = 0
  /// The views, from left to right. All show the same model. They differ in the way in which they reload.
  private(set) var views: [CollectionView]
  /// The time from the last frame of a round to the next question, in seconds. A change also moves the next question.
  var interval: TimeInterval {
    didSet { if isWaiting { waitForNextRound() } }
  }
  var onStateChange: (@MainActor () -> Void)?
  /// Is called at each frame, at the end of a pass that changed something.
  var onFrame: (@MainActor () -> Void)?
  /// The activities of the main loop.
  let timeline = Timeline()

  private lazy var source = RunLoopSource<Message> { [unowned self] messages in
    MainActor.assumeIsolated { messages.forEach { receive($0) } }
  }
  // Most apps get their data in this way: in a main-queue block, such as a completion handler.
  private lazy var worker = Worker(main: source) { [unowned self] answer in
    DispatchQueue.main.async { self.take(answer) }
  }
  private var commit: RunLoopObserver?
  /// The sources that other threads have registered, by the name of the thread.
  private var registry: [String: RunLoopSource<Int>] = [:]
  /// The flag of the view that reloads in a main-queue block: whether that block is on its way.
  private var isReloadRequested = false
  /// Whether a task waits to ask the next question.
  private var isWaiting = false
  private var roundEnd = ContinuousClock.now
  /// Whether something has changed since the last frame.
  private var needsFrame = false

  init(interval: TimeInterval) {
    self.interval = interval
    views = CollectionView.Way.allCases.map { [alphas] in CollectionView($0, alphas: alphas) }
    RunLoop.main.add(source, forMode: .common)
    // On macOS 15, Core Animation commits in an observer like this one.
    commit = RunLoop.main.observe(.beforeWaiting, order: 2_000_000) { [unowned self] _ in
      MainActor.assumeIsolated { showFrame() }
    }
  }

  var panels: [Panel] { views.map { $0.panel(newest: round) } }

  /// Whether the frame that was shown last is the last one of its round: all views showed the newest alphas.
  var isRoundOver: Bool { !views.contains(where: \.isStale) }

  /// Adds the worker thread's source to its loop. The schedule callback registers it here and starts a round.
  func start() {
    guard state == .stopped else { return }
    state = .starting
    worker.addSource()
  }

  /// Removes the worker thread's source. The cancel callback ends the exchange here.
  func stop() {
    guard state == .running else { return }
    state = .stopping
    isWaiting = false
    RunLoopTaskQueue.main.cancelTask(coalescedBy: OwnerKey(worker))
    worker.removeSource()
  }

  private func receive(_ message: Message) {
    switch message {
    case .registered(let source, let thread):
      registry[thread] = source
      state = .running
      ask()
    case .left(let thread):
      registry[thread] = nil
      state = .stopped
    }
  }

  /// Asks the next question once the interval has passed. A second call replaces the first one's task.
  private func waitForNextRound() {
    isWaiting = true
    let delay = roundEnd + .seconds(interval) - .now
    RunLoop.current.perform { self.ask() }
      .when(.currentLoopEnded).forModes(.common).after(delay).coalesced(by: OwnerKey(worker))
  }

  private func ask() {
    isWaiting = false
    round += 1
    timeline.beginRound()
    for (thread, source) in registry {
      timeline.note("asks \(thread) for \(Cells.digits(of: round))", .question)
      source.send(round)
    }
  }

  /// Stores new alphas. Each of them requests a reload of each view.
  private func take(_ answer: Answer) {
    guard answer.round == round else { return }
    let count = answer.alphas.count
    timeline.note("\(answer.thread) brings \(Cells.digits(of: round)): \(count) requests", .answer)
    for index in views.indices { views[index].requests += count }
    for (cell, alpha) in answer.alphas.enumerated() {
      alphas[cell] = alpha
      views.forEach { setNeedsReload($0.way) }
    }
    needsFrame = true
  }

  private func setNeedsReload(_ way: CollectionView.Way) {
    switch way {
    case .mainQueue:
      guard !isReloadRequested else { return }
      isReloadRequested = true
      DispatchQueue.main.async {
        self.isReloadRequested = false
        self.reload(way)
      }
    case .endOfPass:
      RunLoop.current.perform { self.reload(way) }
        .when(.currentLoopEnded).forModes(.common).coalesced(by: OwnerKey(self))
    }
  }

  private func reload(_ way: CollectionView.Way) {
    guard let index = views.firstIndex(where: { $0.way == way }) else { return }
    views[index].reload(alphas, round: round)
    needsFrame = true
    timeline.note("\(way.name): reload", .reload(way))
  }

  /// Shows what the views contain at the end of a pass. On macOS 15, main-queue blocks come too late for this frame:
  ///
  ///     afterWaiting    a main-queue block stores the alphas
  ///     beforeWaiting   tasks of currentLoopEnded reload
  ///                     this frame
  ///     afterWaiting    the next main-queue block reloads
  ///
  /// If a timer or a source stored the alphas, the loop would serve the main queue once more before the frame. On iOS
  /// 18 and later, an update may commit before `beforeWaiting`; the tasks then need a `UIUpdateLink` to be in its
  /// frame.
  private func showFrame() {
    guard needsFrame else { return }
    needsFrame = false
    for index in views.indices { views[index].appear(inFrameWith: alphas) }
    let late = views.first(where: \.isStale).map { "\($0.way.name): STALE FRAME" }
    timeline.note(late ?? "frame", .frame(isStale: late != nil))
    onFrame?()
    guard isRoundOver, state == .running else { return }
    roundEnd = .now
    waitForNextRound()
  }
}
