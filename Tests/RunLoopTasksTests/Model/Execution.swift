import Foundation

@testable import RunLoopTasks

/// Performs a script on the current thread's loop, and lets the model follow what happens.
///
/// After the first complaint nothing more is done, so that a failure ends soon.
final class Execution: @unchecked Sendable {
  // Unchecked, because it is the loop's thread that works with this. Another thread that calls the package does so
  // while that one waits, and whoever made this looks at the results only when the thread is gone. `progress` and
  // `watch` are safe anywhere.

  private(set) var trace: [Event] = []
  private(set) var complaint: Complaint?
  let progress = Counter()
  let watch = Watch()

  static let modes: [RunLoop.Mode] = [.default, .custom, .other]

  private(set) var model = Model()
  private let script: Script
  private let other: LoopThread
  /// The thread, if it performs jobs. The script is a task of its loop then.
  let jobThread: RunLoopThread?
  private var jobCount = 0
  /// Whether the script has come to its end. What is left then, of jobs and of the run around the script, is of no
  /// interest.
  private(set) var isOver = false
  private lazy var queue = RunLoop.current.taskQueue
  private var tasks: [TaskNumber: RunLoopTask] = [:]
  private let (closuresMade, closuresReleased) = (Counter(), Counter())

  var sources: [Source] = []
  var timers: [Timer] = []
  /// Sources and timers that have yet to be served.
  var sourcesLeft: [RunLoop.Mode: Int] = [:]
  var timersLeft: [RunLoop.Mode: Int] = [:]
  /// What keeps runs alive without having something to do: timers that are firing are among it.
  var keptAlive: [RunLoop.Mode: Int] = [:]
  var calls: [Call] = []

  init(_ script: Script, other: LoopThread, jobThread: RunLoopThread?) {
    (self.script, self.other, self.jobThread) = (script, other, jobThread)
  }

  /// On the loop's thread: performs the script.
  func perform() {
    watch.begin()
    RunLoop.current.perform {}.forModes(Self.modes).cancel()  // from which on the package observes them
    observeActivities()
    for step in script.steps {
      perform(step)
      look()
    }
    if script.isRunToTheEnd { runToTheEnd() } else if let jobThread { return stop(jobThread) }
    if jobThread != nil { cancelAll(.own) }
    look()
    end()
    jobThread?.stop()
  }

  /// The run around the script ends, and then comes a drain.
  private func stop(_ thread: RunLoopThread) {
    let end = RunLoopSource<Never>(onCancel: { [unowned self] _ in self.end() }) { _ in }
    RunLoop.current.add(end, forMode: RunLoop.Mode("of no run"))
    record(.threadStopped(runningDelayedTasks: script.runsDelayedTasks))
    calls.append(Call(kind: .pass))
    thread.stop(runningDelayedTasks: script.runsDelayedTasks)
  }

  /// Nothing more is of interest.
  func end() {
    isOver = true
    timers.forEach { $0.invalidate() }
    (sources, timers) = ([], [])
    watch.end()
  }

  /// When the thread is gone.
  func conclude() {
    let left = closuresMade.value - closuresReleased.value
    noteReading()  // what the last tasks of the drain have let other threads send
    follow(.threadEnded(tasks.mapValues(\.state), closuresLeft: left))
  }

  func record(_ event: Event) {
    guard !isOver else { return }
    noteReading()
    follow(event)
  }

  /// Tells the model once the loop has read what other threads have sent. Nothing tells it if one of them has sent more
  /// since.
  private func noteReading() {
    if !model.unread.isEmpty, !queue.scheduler.inbox.hasUnread { follow(.messagesRead) }
  }

  private func follow(_ event: Event) {
    guard complaint == nil else { return }
    trace.append(event)
    progress.count()
    do { try model.follow(event) } catch { complaint = error }
  }

  /// Tells the model how the tasks are. Before some are cancelled it must know whether they have replaced others.
  func look() { record(.looked(tasks.mapValues(\.state), count: queue.count)) }

  // MARK: Steps

  func perform(_ steps: [Step]) { steps.forEach(perform) }

  private func perform(_ step: Step) {
    guard complaint == nil, !isOver else { return }
    noteReading()
    let queue = queue
    switch step.action {
    case .perform(let number, let wish, let way): schedule(number, wish, way, step.body)
    case .change(let number, let change): self.change(number, change)
    case .cancel(let number, let caller):
      guard let task = tasks[number] else { return }
      look()
      record(.cancelled(number, wasInTime: call(from: caller) { task.cancel() }))
    case .cancelAll(let caller): cancelAll(caller)
    case .cancelKey(let key, let caller):
      look()
      call(from: caller) { queue.cancelTask(coalescedBy: key) }
      record(.cancelledKey(key, caller))
    case .runNow(let number):
      guard let task = tasks[number] else { return }
      record(.runNowCalled(number))
      record(.runNowReturned(task.runNow()))
    case .runAllTasks:
      record(.runAllTasksCalled)
      record(.runAllTasksReturned(RunLoop.current.runAllTasks()))
    case .runTasks(let timing):
      record(.runTasksCalled(timing))
      record(.runTasksReturned(RunLoop.current.runTasks(of: timing)))
    case .budget(let allowance, let caller):
      call(from: caller) { queue.budget = allowance.duration }
      record(.setBudget(allowance))
    case .observe(let activity, let mode, let order): observe(activity, mode, order, step.body)
    case .timer(let mode): addTimer(mode, step.body)
    case .source(let mode): addSource(mode, step.body)
    case .run(let kind, let mode, let isKeptAlive): run(kind, mode, isKeptAlive: isKeptAlive)
    case .makeCommon(let mode): makeCommon(mode)
    case .job(let caller): addJob(caller, step.body)
    case .stop: stop()
    }
  }

  private func schedule(_ number: TaskNumber, _ wish: Wish, _ way: Way, _ body: [Step]) {
    let (queue, released) = (queue, closuresReleased)
    closuresMade.count()
    let token = Token { released.count() }
    let closure: @Sendable () -> Void = { [unowned self] in
      token.use()
      record(.taskBegan(number))
      perform(body)
      record(.taskEnded(number))
    }
    switch way {
    case .chain:
      tasks[number] = RunLoop.current.perform(closure)
      record(.scheduled(number, Wish(), .own))
      for change in wish.changes { self.change(number, change) }
    case .queue(let caller):
      tasks[number] = call(from: caller) {
        queue.perform(
          when: wish.timing, after: wish.delay.duration, within: wish.limit > 0 ? wish.limit.duration : nil,
          order: wish.order, forModes: wish.modes, coalescedBy: wish.key, atMostEvery: wish.interval.duration, closure)
      }
      record(.scheduled(number, wish, caller))
    }
  }

  private func change(_ number: TaskNumber, _ change: Change) {
    guard let task = tasks[number] else { return }
    switch change {
    case .timing(let timing): task.when(timing)
    case .modes(let modes): task.forModes(modes)
    case .key(let key, let interval): task.coalesced(by: key, atMostEvery: interval.duration)
    case .after(let delay): task.after(delay.duration)
    case .within(let limit): task.within(limit.duration)
    case .order(let order): task.order(order)
    }
    record(.changed(number, change))
  }

  func cancelAll(_ caller: Caller) {
    let queue = queue
    look()
    call(from: caller) { queue.cancelAll() }
    record(.cancelledAll(caller))
  }

  private func addJob(_ caller: Caller, _ body: [Step]) {
    guard let jobThread else { return }
    jobCount += 1
    let number = jobCount
    call(from: caller) {
      _ = Task(executorPreference: jobThread) { [self] in
        record(.jobBegan(number))
        perform(body)
        record(.jobEnded(number))
      }
    }
    record(.jobAdded(number))
  }

  // MARK: Other threads

  @discardableResult
  private func call<Value: Sendable>(from caller: Caller, _ body: @escaping @Sendable () -> Value) -> Value {
    guard caller == .other else { return body() }
    let work = Box<(@Sendable () -> Value)?>(body)
    let result = Box<Value?>(nil)
    // That thread may keep what it was given for a while, but not what is in it.
    other.perform {
      let body = work.value!
      work.value = nil
      result.value = body()
    }
    return result.value!
  }
}
