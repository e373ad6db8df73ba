/// A row of the table.
struct Row {
  enum Unit: String, Codable { case nanoseconds = "ns", bytes, milliseconds = "ms", instructions }

  /// The way to measure a row.
  enum Measure {
    /// Batches of this size. The benchmark can time them or count their instructions.
    case batches(of: Int, (Peer) -> Batches)
    /// A figure whose instructions cannot be counted, because it varies or takes too long.
    case figure(Unit, (Peer) -> Double)
  }

  /// The name of the row on the command line and in JSON.
  let name: String
  let section: String
  let title: String
  /// The peers that take part.
  let peers: [Peer]
  let measure: Measure

  var isCountable: Bool { if case .batches = measure { true } else { false } }

  var unit: Unit { if case .figure(let unit, _) = measure { unit } else { .nanoseconds } }

  /// Takes one sample of a peer. The process must not have measured anything before.
  func sample(_ peer: Peer, _ scale: Scale) -> Double {
    switch measure {
    case .figure(_, let figure): return figure(peer)
    case .batches(let size, let prepare): return nanoseconds(per: size, for: scale.time, prepare(peer))
    }
  }
}

/// The nanoseconds for each task, in as many batches of this size as fill the time.
///
/// - Returns: the median of the batches, which ignores a batch that another program has interrupted.
private func nanoseconds(per size: Int, for time: Duration, _ batches: Batches) -> Double {
  let times = max(1, 20 / size)  // reading the clock takes time, too
  var samples: [Double] = []
  let end = ContinuousClock.now + time
  _ = batches(1)  // the first batch touches new memory
  repeat {
    samples.append(batches(times).nanoseconds / Double(size * times))
  } while ContinuousClock.now < end
  return samples.median
}

/// The amount of work for one sample.
struct Scale {
  /// The size of the large batches.
  let many: Int
  /// The number of tasks beside a timer.
  let backlog: Int
  /// The number of wake-ups of a sleeping loop.
  let wakeUps: Int
  /// The time for which short work is repeated.
  let time: Duration

  static let full = Scale(many: 100_000, backlog: 1000, wakeUps: 200, time: .milliseconds(50))
  static let quick = Scale(many: 2000, backlog: 50, wakeUps: 20, time: .milliseconds(2))
}

extension Row {
  /// The rows, in the order of the table.
  static func all(_ scale: Scale) -> [Row] {
    let many = grouped(scale.many)
    let small = "perform {} and …, in batches of 100: a task"
    let large = "perform {} and …, in batches of \(many): a task"
    let single = "perform {} and …, one task and one pass"
    let began = ".when(.nextLoopBegan)"
    let ended = ".when(.currentLoopEnded)"
    let sent = "From another thread: a task"
    let pass = "A pass"
    let hops = "To the main actor and back, below an async main: a job"
    let memory = "Memory: a task"
    return [
      scheduling("batch-small-began", small, began, .began, 100),
      scheduling("batch-small-ended", small, ended, .ended, 100),
      scheduling("batch-small-default", small, "… .forModes([.default])", .endedDefault, 100),
      scheduling("batch-small-common", small, "… .forModes(.common)", .endedCommon, 100),
      scheduling("batch-small-one-call", small, "perform(when: .currentLoopEnded, forModes: [.common])", .oneCall, 100),
      scheduling(
        "batch-small-one-call-coalesced", small, "…, coalescedBy: \"reload\") [1]", .oneCallCoalesced, 100),
      scheduling("batch-small-coalesced", small, "… .coalesced(by: 1) [1]", .coalesced, 100),
      scheduling("batch-small-cancelled", small, "… .cancel() [1]", .cancelled, 100),
      scheduling("batch-small-cancelled-later", small, "…, then cancel() each [1]", .cancelledLater, 100),
      scheduling(
        "debounce", "A debounce of 300 ms", "asked for \(grouped(scale.many / 2)) times [7]", .debounced, scale.many / 2
      ),
      scheduling("batch-large-began", large, began, .began, scale.many),
      scheduling("batch-large-ended", large, ended, .ended, scale.many),
      scheduling("batch-large-default", large, "… .forModes([.default])", .endedDefault, scale.many),
      scheduling("batch-large-common", large, "… .forModes(.common)", .endedCommon, scale.many),
      scheduling("one-pass-began", single, began, .began, 1),
      scheduling("one-pass-ended", single, ended, .ended, 1),
      scheduling("one-pass-common", single, "… .forModes(.common)", .endedCommon, 1),
      Row("pass-idle", pass, "nothing pending [2]", [.ours, .floor]) {
        passes(afterUsing: $0 == .floor ? nil : $0, parked: 0)
      },
      Row("pass-parked", pass, "\(many) pending elsewhere [3]", .nanoseconds, [.floor] + everyone(.parked)) {
        let passes = $0 == .floor ? passes(afterUsing: .ours, parked: 0) : passes(afterUsing: $0, parked: scale.many)
        return nanoseconds(per: 1, for: scale.time, passes)
      },
      posting("post-small", sent, "100, loop not running [4]", .posted, 100),
      posting("post-small-coalesced", sent, "… coalescedBy: 1 [1] [4]", .postedCoalesced, 100),
      Row("send-many", sent, "\(many), loop running", .nanoseconds, everyone(.sent)) {
        $0.sends(of: scale.many, times: 4)
      },
      Row("send-one", sent, "one, loop sleeping", .nanoseconds, everyone(.sent)) {
        $0.sends(of: 1, times: scale.wakeUps)
      },
      Row("await-one", sent, "awaited by async code, loop sleeping [8]", .nanoseconds, [.ours, .dispatch, .task]) {
        $0.awaits(times: 10 * scale.wakeUps)
      },
      Row("hop", hops, "one after the other [9]", .nanoseconds, [.ours, .dispatch]) {
        $0.sendJobs(1, times: 10 * scale.wakeUps)
      },
      Row("hop-many", hops, "100 at once [9]", .nanoseconds, [.ours, .dispatch]) {
        $0.sendJobs(100, times: scale.wakeUps)
      },
      Row("thread", "A thread with a run loop", "start, one task, stop, join [10]", .nanoseconds, [.ours, .perform]) {
        $0.threads(times: 10 * scale.wakeUps)
      },
      Row("bytes-pending", memory, "pending", .bytes, everyone(.began)) { $0.bytes(per: scale.many, .began) },
      Row("bytes-cancelled", memory, "cancelled, not run since", .bytes, everyone(.cancelled).filter { $0 != .floor }) {
        $0.bytes(per: scale.many, .cancelled)
      },
      Row(
        "lateness", "A 10 ms timer, at worst", "late beside \(grouped(scale.backlog)) tasks [5]", .milliseconds,
        everyone(.began).filter { $0 != .floor && $0 != .ancestor }
      ) { $0.lateness(of: .timer, beside: scale.backlog, .began, budget: .milliseconds(4)) },
    ] + idle(scale) + placing(scale)
  }

  /// The rows of what arrives beside idle tasks.
  private static func idle(_ scale: Scale) -> [Row] {
    let arrivals: [(String, String, Arrival)] = [
      ("lateness-idle", "a timer", .timer), ("lateness-idle-source", "a source", .source),
      ("lateness-idle-block", "a block of the main queue", .block),
    ]
    return arrivals.map { name, title, arrival in
      Row(
        name, "Every 10 ms beside \(grouped(scale.backlog)) idle tasks, at worst", "\(title), late [6]", .milliseconds,
        [.ours, .dispatch, .idle]
      ) { $0.lateness(of: arrival, beside: scale.backlog, .idle, budget: nil) }
    }
  }

  /// The rows of tasks that come into the middle of many others. A task should cost about as much in each size.
  private static func placing(_ scale: Scale) -> [Row] {
    let ways: [(String, String, Job)] = [
      ("falling", "falling orders", .fallingOrders), ("scattered", "1,000 orders", .manyOrders),
      ("amended", "timings amended from the back", .amendedTimings),
      ("replaced", "keys replaced from the back", .replacedKeys),
    ]
    return ways.flatMap { name, title, job in
      [scale.many / 100, scale.many / 10, scale.many].map { size in
        scheduling("place-\(name)-\(size)", "Into the middle: a task", "\(title), \(grouped(size))", job, size)
      }
    }
  }

  /// The notes for the numbers in brackets.
  static let notes = [
    "[1] The figure includes the clean-up. Dispatch, Operation and Task cancel the task before; floor runs every task.",
    "[2] ours: after a task of the package has run; floor: without the package.",
    "[3] The tasks are in another mode. floor: after a task of the package has run, with no task pending.",
    "[4] ours: perform(when: .currentLoopEnded). The loop runs when the whole batch is scheduled.",
    "[5] Each task takes 0.5 ms; ours has a budget of 4 ms.",
    "[6] Each task takes 0.5 ms; ours has no budget.",
    "[7] Each request replaces the one before; the last one is cancelled. perform: a Timer. Task: Task.sleep.",
    "[8] ours: queue.run; Dispatch: async with a continuation; Task: MainActor.run.",
    "[9] ours: the main thread runs the loop, as with RunLoopMain; Dispatch: dispatchMain(), as without it.",
    "[10] ours: RunLoopThread; perform: a Thread that runs its loop until a block stops it, written by hand.",
  ]

  private static func everyone(_ job: Job) -> [Peer] { Peer.allCases.filter { $0.method(for: job) != nil } }

  private static func scheduling(_ name: String, _ section: String, _ title: String, _ job: Job, _ size: Int) -> Row {
    Row(
      name: name, section: section, title: title, peers: everyone(job),
      measure: .batches(of: size) { $0.batches(of: size, job) })
  }

  private static func posting(_ name: String, _ section: String, _ title: String, _ job: Job, _ size: Int) -> Row {
    Row(
      name: name, section: section, title: title, peers: everyone(job),
      measure: .batches(of: size) { $0.posts(of: size, job) })
  }

  /// A row of passes.
  private init(
    _ name: String, _ section: String, _ title: String, _ peers: [Peer], passes: @escaping (Peer) -> Batches
  ) {
    self.init(name: name, section: section, title: title, peers: peers, measure: .batches(of: 1, passes))
  }

  private init(
    _ name: String, _ section: String, _ title: String, _ unit: Unit, _ peers: [Peer],
    figure: @escaping (Peer) -> Double
  ) {
    self.init(name: name, section: section, title: title, peers: peers, measure: .figure(unit, figure))
  }
}
